/**
 * Makes one member lead, by etcd's own means: whoever leads is asked to move its leadership. It is tried for
 * as long as nobody leads, or another does by then.
 */

import { setTimeout as delay } from "node:timers/promises";
import { METHODS, moveLeader, readStatus, status } from "../wire/messages.ts";
import { askOnce } from "./channel.ts";
import type { EtcdPlace } from "./session.ts";

export interface HandOver {
  readonly places: readonly EtcdPlace[];
  /** The member's id, in hexadecimal. */
  readonly to: string;
}

const WITHIN_MS = 5_000;
const PAUSE_MS = 100;
const ATTEMPTS = 50;

/** Throws, for people, where it cannot be done. */
export async function handOver({ places, to }: HandOver): Promise<void> {
  const wanted = BigInt(`0x${to}`);
  let why = "nobody leads";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    for (const place of places) {
      try {
        const { header, leader } = readStatus(await askOnce(place, METHODS.status, status(), WITHIN_MS));
        if (leader === wanted) return;
        if (leader === header.member) await askOnce(place, METHODS.moveLeader, moveLeader(wanted), WITHIN_MS);
      } catch (error) {
        why = (error as Error).message;
      }
    }
    await delay(PAUSE_MS);
  }
  throw new Error(`${to} was not made to lead: ${why}`);
}

if (import.meta.main) {
  await handOver(JSON.parse(process.argv[2] ?? "") as HandOver);
  process.exit(0);
}
