/**
 * What can be chosen about the broadcast; `DEFAULTS` suit a wide-area ensemble and transactions of about 1
 * kB.
 */

import type { ServerId } from "../core/identity.ts";
import { type Duration, seconds } from "../core/time.ts";

export interface BroadcastOptions {
  /** A follower waits this long for its leader's epoch, a leader for a quorum of promises. */
  readonly joinTimeout: Duration;
  /** Pulling and bringing level may take any time, as long as it advances once in this one. */
  readonly synchronizationTimeout: Duration;
  /** How much of the history is kept in memory. More spares followers that come back a snapshot. */
  readonly historyBytes: number;
  /** How much may be under way to one server, sent and not yet on its disk. */
  readonly windowBytes: number;
  /**
   * No single propose carries more than this, unless one transaction does: what a connection takes in its
   * first round trip, so that the first of what waited during an election need not wait for all of it.
   */
  readonly proposeBytes: number;
  /** How many chunks of 64 KiB may be under way to another server: all that a wide-area link can hold. */
  readonly chunksUnderWay: number;
  /** And to the own disk, where transactions wait behind them. */
  readonly checkpointChunks: number;
  /** A checkpoint is taken when either was executed since the last one. */
  readonly checkpointTransactions: number;
  readonly checkpointBytes: number;
  /** There never was an epoch: a quorum of servers with new disks may begin with the first. */
  readonly initial: boolean;
  /** Servers whose processes do not run: one with a new disk need not hear from them. */
  readonly notRunning: readonly ServerId[];
  /** A leader gives up its epoch for a new one before its counter of 32 bits ends. */
  readonly transactionsPerEpoch: number;
}

export const DEFAULTS: BroadcastOptions = {
  joinTimeout: seconds(4),
  synchronizationTimeout: seconds(8),
  historyBytes: 64 * 2 ** 20,
  windowBytes: 32 * 2 ** 20,
  proposeBytes: 14 * 1024,
  chunksUnderWay: 64,
  checkpointChunks: 4,
  checkpointTransactions: 100_000,
  checkpointBytes: 256 * 2 ** 20,
  initial: false,
  notRunning: [],
  transactionsPerEpoch: 2 ** 32 - 2 ** 24,
};
