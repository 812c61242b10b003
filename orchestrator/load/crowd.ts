/** Thousands of sessions in one process, spread over all servers, each with a sign of life now and then. */

import { build, type Histogram } from "hdr-histogram-js";
import { monotonic } from "#node/host/monotonic.ts";
import { CrowdMember, type Watcher } from "./crowd-member.ts";

export interface Pings {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** A herd at one door: this many at a time connect. */
const AT_ONCE = 200;
/** A third of the sessions' timeout, as ZooKeeper's clients ping. */
const PING_EVERY_MS = 10_000;
const SESSION_TIMEOUT_MS = 30_000;
const BEAT_MS = 10;

export class Crowd implements Watcher, Disposable {
  readonly members: readonly CrowdMember[];
  readonly #beat: NodeJS.Timeout;
  #pings: Histogram = histogram();
  #next = 0;
  #beatAt = monotonic();
  /** Members whose turn has come, and a part of one. */
  #due = 0;
  /** Connections that ended, that came back with their session, and sessions that had ended meanwhile. */
  lefts = 0;
  returns = 0;
  expiries = 0;
  /** Watches that fired. */
  events = 0;

  private constructor(members: (watcher: Watcher) => readonly CrowdMember[]) {
    this.members = members(this);
    this.#beat = setInterval(() => this.#pingSome(), BEAT_MS);
  }

  static async gather(ports: readonly number[], size: number): Promise<Crowd> {
    const members: CrowdMember[] = [];
    const crowd = new Crowd(() => members);
    for (let index = 0; index < size; ) {
      const group: CrowdMember[] = [];
      for (; group.length < AT_ONCE && index < size; index++) {
        group.push(new CrowdMember(ports, index, SESSION_TIMEOUT_MS, crowd));
      }
      members.push(...group);
      await Promise.all(group.map(({ joined }) => joined));
    }
    return crowd;
  }

  /** Since the last call. */
  takePings(): Pings {
    const seen = this.#pings;
    this.#pings = histogram();
    const at = (percentile: number): number => seen.getValueAtPercentile(percentile) / 1e3;
    return { count: seen.totalCount, p50Ms: at(50), p99Ms: at(99), maxMs: seen.maxValue / 1e3 };
  }

  get isWhole(): boolean {
    return this.members.every(({ isConnected }) => isConnected);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#beat);
    for (const member of this.members) member.end();
  }

  pinged(tookUs: number): void {
    this.#pings.recordValue(Math.max(1, tookUs));
  }

  told(): void {
    this.events += 1;
  }

  left(): void {
    this.lefts += 1;
  }

  returned(): void {
    this.returns += 1;
  }

  expired(): void {
    this.expiries += 1;
  }

  /** Each in turn, evenly over the period by the clock: a beat that comes late has more to do. */
  #pingSome(): void {
    const now = monotonic();
    const elapsedMs = (now - this.#beatAt) / 1e3;
    this.#beatAt = now;
    this.#due = Math.min(this.members.length, this.#due + (this.members.length * elapsedMs) / PING_EVERY_MS);
    for (; this.#due >= 1; this.#due--) this.members[this.#next++ % this.members.length]?.ping();
  }
}

const histogram = (): Histogram => build({ highestTrackableValue: 600e6, numberOfSignificantValueDigits: 3 });
