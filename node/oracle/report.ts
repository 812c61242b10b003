/**
 * What a server tells the others of itself beside each heartbeat: enough to judge as it would judge itself,
 * to know where its clients would go without it, and how long it would take to be brought level.
 */

import type { ServerId } from "../core/identity.ts";
import { type Duration, microseconds } from "../core/time.ts";
import { type Zxid, ZERO } from "../core/zxid.ts";

/** How its clients ask for writes. */
export interface Offer {
  /**
   * Requests a second that came while their client waited for an earlier one: no answer decides their pace.
   */
  readonly openPerSecond: number;
  /** On average so many clients ask one write after another. */
  readonly clients: number;
  /** From an answer to the next question of such a client. */
  readonly think: Duration;
}

export interface Report {
  /** The mean round trips that it has measured, its leader's too. */
  readonly roundTrips: ReadonlyMap<ServerId, Duration>;
  readonly lastZxid: Zxid;
  /** Who has less than this needs a snapshot from it. */
  readonly base: Zxid;
  /** Roughly the bytes of a snapshot, and of a transaction. */
  readonly stateBytes: number;
  readonly transactionBytes: number;
  readonly offer: Offer;
  /** From a write's coming to its answer; 0 while there was none. */
  readonly writeLatency: Duration;
  /** Since its life began. */
  readonly awake: Duration;
}

export const NO_REPORT: Report = {
  roundTrips: new Map(),
  lastZxid: ZERO,
  base: ZERO,
  stateBytes: 0,
  transactionBytes: 0,
  offer: { openPerSecond: 0, clients: 0, think: microseconds(0) },
  writeLatency: microseconds(0),
  awake: microseconds(0),
};
