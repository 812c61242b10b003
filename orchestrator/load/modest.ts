/**
 * Those who ask for little: a client at each server that asks the next thing when it has the answer to the
 * last. How long they wait tells whether what others do is felt.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Ensemble } from "../system/ensemble.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { CrowdMember } from "./crowd-member.ts";

const SESSION_TIMEOUT_MS = 30_000;

export interface Waits {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

interface Attempt {
  readonly at: number;
  /** Until the answer, or the end of the connection; null until either. */
  tookUs: number | null;
}

export class Modest implements Disposable {
  readonly #members: readonly CrowdMember[];
  readonly #asked: Attempt[] = [];
  /** Connections that ended before it was over. */
  lefts = 0;
  #isEnded = false;

  private constructor(members: readonly CrowdMember[]) {
    this.#members = members;
  }

  static async at({ servers }: Ensemble): Promise<Modest> {
    const members: CrowdMember[] = [];
    const made = new Modest(members);
    const watcher = { pinged() {}, told() {}, left: () => (made.lefts += 1), returned() {}, expired() {} };
    for (const { clientPort } of servers)
      members.push(new CrowdMember([clientPort], 0, SESSION_TIMEOUT_MS, watcher));
    await Promise.all(members.map(({ joined }) => joined));
    for (const member of members) void made.#go(member);
    return made;
  }

  /** Of what was asked between the two; who has no answer yet has waited until now at least. */
  waits(from: number, until: number): Waits {
    const now = monotonic();
    const within = this.#asked.filter(({ at }) => at >= from && at < until);
    const sorted = Float64Array.from(within, ({ at, tookUs }) => (tookUs ?? now - at) / 1e3).sort();
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, (sorted.length * share) | 0)] ?? 0;
    return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  }

  /** When the last one that took longer than this was answered, of those asked or answered after `from`. */
  lastSlow(from: number, limitMs: number): number {
    const now = monotonic();
    const ends = this.#asked
      .map(({ at, tookUs }) => ({ at, end: at + (tookUs ?? now - at) }))
      .filter(({ at, end }) => end > from && end - at > limitMs * 1e3);
    return ends.reduce((last, { end }) => Math.max(last, end), from);
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    for (const member of this.#members) member.end();
  }

  async #go(member: CrowdMember): Promise<void> {
    const path = "/";
    while (!this.#isEnded) {
      const asked: Attempt = { at: monotonic(), tookUs: null };
      this.#asked.push(asked);
      const answer = await member.ask({ kind: "setData", path, data: new Uint8Array(100), version: -1 });
      asked.tookUs = answer?.tookUs ?? monotonic() - asked.at;
      await delay(answer === null ? 100 : 1);
    }
  }
}
