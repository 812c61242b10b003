/**
 * The service that is replicated, as the broadcast sees it: a deterministic state that executes transactions
 * in order.
 *
 * A snapshot is the state after one zxid, to the byte, although transactions go on being executed while it is
 * read chunk by chunk: the machine keeps the old value of what changes meanwhile. Nothing here rolls back:
 * only committed transactions are ever executed.
 */

import type { ClientId } from "./identity.ts";
import type { Pieces } from "./pieces.ts";
import type { TimeOfDay } from "./time.ts";
import type { Transaction } from "./transaction.ts";
import type { Zxid } from "./zxid.ts";

export interface StateMachine {
  /** The zxid of the last transaction executed. */
  readonly applied: Zxid;
  /** Its time of day; a snapshot holds it too, so that no later one is ever earlier. */
  readonly time: TimeOfDay;
  /** Roughly how many a snapshot has. */
  readonly bytes: number;
  /** Executes the next transaction and returns the result for the client that asked for it. */
  apply(transaction: Transaction): Uint8Array;
  /** Answers from the local state, without changing it. No later change shows in the answer. */
  read(client: ClientId, query: Uint8Array): Pieces;
  snapshot(): Snapshot;
  /** Begins to replace the whole state by a snapshot; the state in use stays until `finish`. */
  restore(zxid: Zxid): Restoration;
  /** Equal states have equal digests, and different ones all but certainly not. */
  digest(): string;
}

export interface Snapshot {
  readonly zxid: Zxid;
  /** The next chunk, at most about 64 KiB, or null after the last. */
  next(): Uint8Array | null;
  /** Done or abandoned: the machine need not keep old values for it any more. */
  close(): void;
}

/**
 * The chunks come from the own disk or from another server. Each call says what is wrong with them, or null;
 * after something wrong nothing more is to be asked, and the state in use is what it was.
 */
export interface Restoration {
  accept(chunk: Uint8Array): string | null;
  finish(): string | null;
}
