/**
 * A zxid names one transaction of the whole history: the epoch of the leader that proposed it, then its place
 * within that epoch. Comparing zxids compares histories.
 *
 * It is a plain number: 21 bits of epoch above 32 bits of counter fill the 53 bits in which numbers are
 * exact, compare with `<`, and cost no allocation; a bigint does. The wire carries ZooKeeper's 64 bits all
 * the same. Two million epochs are one election a second for 24 days; the assertion below is the end of that
 * road, and it is loud.
 */

import { assert } from "./assert.ts";

declare const kind: unique symbol;

export type Zxid = number & { readonly [kind]: "zxid" };
/** Zab's epoch: one leadership. An election's attempt is a *round*, never an epoch. */
export type Epoch = number & { readonly [kind]: "epoch" };

const COUNTERS = 2 ** 32;
export const MAX_EPOCH = 2 ** 21 - 1;
export const MAX_COUNTER = COUNTERS - 1;

/** Before the first transaction. */
export const ZERO = 0 as Zxid;
/** Before the first leader. */
export const NO_EPOCH = 0 as Epoch;

export function epoch(value: number): Epoch {
  assert(Number.isInteger(value) && value >= 0 && value <= MAX_EPOCH, () => `epoch out of range: ${value}`);
  return value as Epoch;
}

export function zxid(ofEpoch: Epoch, counter: number): Zxid {
  assert(counter >= 0 && counter <= MAX_COUNTER, () => `zxid counter out of range: ${counter}`);
  return (ofEpoch * COUNTERS + counter) as Zxid;
}

export const epochOf = (z: Zxid): Epoch => Math.floor(z / COUNTERS) as Epoch;
export const counterOf = (z: Zxid): number => z % COUNTERS;

/** As ZooKeeper prints it. */
export const printZxid = (z: Zxid): string => `0x${z.toString(16)}`;
