/**
 * Which sessions have given no sign of life for too long.
 *
 * Sessions lie in buckets by the tick in which they end, rounded up as in ZooKeeper, so a sign of life moves
 * one session and the question "who is late?" looks at nobody who is not.
 */

import { after, type Duration, type Instant, milliseconds } from "../core/time.ts";

/** When which sessions end, soonest first. */
export type Schedule = readonly (readonly [Instant, readonly number[]])[];

interface Lease {
  readonly timeoutMs: number;
  bucket: number;
}

export class Expiry {
  readonly #tick: Duration;
  readonly #leases = new Map<number, Lease>();
  readonly #buckets = new Map<number, Set<number>>();
  /** Every bucket before this one has been looked at. */
  #next: number;

  constructor(tick: Duration, now: Instant) {
    this.#tick = tick;
    this.#next = this.#bucketAfter(now);
  }

  /** It exists, or has another timeout now. */
  add(session: number, timeoutMs: number, now: Instant): void {
    this.remove(session);
    const lease = { timeoutMs, bucket: this.#bucketAfter(after(now, milliseconds(timeoutMs))) };
    this.#leases.set(session, lease);
    this.#put(session, lease.bucket);
  }

  touch(session: number, now: Instant): void {
    const lease = this.#leases.get(session);
    if (lease === undefined) return;
    const bucket = this.#bucketAfter(after(now, milliseconds(lease.timeoutMs)));
    if (bucket <= lease.bucket) return;
    this.#drop(session, lease.bucket);
    lease.bucket = bucket;
    this.#put(session, bucket);
  }

  remove(session: number): void {
    const lease = this.#leases.get(session);
    if (lease === undefined) return;
    this.#drop(session, lease.bucket);
    this.#leases.delete(session);
  }

  /**
   * Sessions that are late, as many as are asked for: the rest stay late. One that is not ended in spite of
   * it is late again a tick later.
   */
  *expired(now: Instant): Generator<number> {
    for (; this.#next * this.#tick <= now; this.#next++) {
      for (const session of this.#buckets.get(this.#next) ?? []) {
        const lease = this.#leases.get(session) as Lease;
        this.#drop(session, lease.bucket);
        lease.bucket = this.#bucketAfter(now);
        this.#put(session, lease.bucket);
        yield session;
      }
    }
  }

  /** For `dump`. */
  schedule(): Schedule {
    const buckets = [...this.#buckets].sort(([one], [other]) => one - other);
    return buckets.map(([bucket, sessions]) => [(bucket * this.#tick) as Instant, [...sessions]]);
  }

  #bucketAfter(instant: Instant): number {
    return Math.floor(instant / this.#tick) + 1;
  }

  #put(session: number, bucket: number): void {
    const sessions = this.#buckets.get(bucket);
    if (sessions === undefined) this.#buckets.set(bucket, new Set([session]));
    else sessions.add(session);
  }

  #drop(session: number, bucket: number): void {
    const sessions = this.#buckets.get(bucket);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#buckets.delete(bucket);
  }
}
