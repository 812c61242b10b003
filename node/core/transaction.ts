/**
 * A transaction is what Zab proposes, logs, commits and delivers: a request that the leader has given its
 * place in the history and a time of day. Every replica executes it when it is delivered, and because
 * execution is deterministic all reach the same state and the same result. A request that fails (wrong
 * version, no such node) is a transaction too.
 */

import type { ServerId } from "./identity.ts";
import type { TimeOfDay } from "./time.ts";
import type { Zxid } from "./zxid.ts";

/**
 * Names one write of one life of one server, so that the server which took it from a client knows it again
 * when it is delivered, whichever leader proposed it. `life` is a number the host drew when that server
 * started.
 */
export interface Ticket {
  readonly origin: ServerId;
  readonly life: number;
  readonly sequence: number;
}

export interface Transaction {
  readonly zxid: Zxid;
  readonly time: TimeOfDay;
  readonly ticket: Ticket;
  /** Never changed; but the same bytes may come to lie elsewhere when the image is made. */
  payload: Uint8Array;
  /**
   * Does the payload lie right behind its head, so that both together are the transaction as bytes? Those are
   * made once: the same go to every follower and into every log. Only `wire/` sets this.
   */
  imaged: boolean;
}
