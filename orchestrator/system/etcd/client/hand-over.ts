/**
 * Makes one member lead, by etcd's own means: whoever leads is asked to move its leadership. It is tried for
 * as long as nobody leads, or another does by then.
 */

import { setTimeout as delay } from "node:timers/promises";
import { takeHandOvers } from "../../hand-over.ts";
import { METHODS, moveLeader, readStatus, status } from "../wire/messages.ts";
import { askOnce } from "./channel.ts";
import type { EtcdPlace } from "./session.ts";

export interface HandOver {
  readonly places: readonly EtcdPlace[];
  /** Of each server, in hexadecimal. */
  readonly members: Readonly<Record<number, string>>;
}

const WITHIN_MS = 5_000;
const PAUSE_MS = 100;
const ATTEMPTS = 50;

/** Null once it leads, or why it does not. */
export async function handOver({ places, members }: HandOver, to: number): Promise<string | null> {
  const wanted = BigInt(`0x${members[to] ?? 0}`);
  let why = "nobody leads";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    for (const place of places) {
      try {
        const { header, leader } = readStatus(await askOnce(place, METHODS.status, status(), WITHIN_MS));
        if (leader === wanted) return null;
        if (leader === header.member) await askOnce(place, METHODS.moveLeader, moveLeader(wanted), WITHIN_MS);
      } catch (error) {
        why = (error as Error).message;
      }
    }
    await delay(PAUSE_MS);
  }
  return why;
}

if (import.meta.main) {
  const told = JSON.parse(process.argv[2] ?? "") as HandOver;
  await takeHandOvers((to) => handOver(told, to));
  process.exit(0);
}
