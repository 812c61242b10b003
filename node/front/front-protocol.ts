/**
 * What a front is asked for and asks for: towards its clients bytes, towards its replica writes, reads and
 * syncs.
 */

import type { Mutant } from "../core/mutant.ts";
import type { ClientId, ServerId } from "../core/identity.ts";
import type { Duration } from "../core/time.ts";
import type { ReplicaOutput, ReplicaRequest } from "../replica/replica-protocol.ts";
import type { Owed } from "./client-connection.ts";
import type { Secrets } from "./credentials.ts";
import type { Options } from "../tree/payload.ts";

/**
 * A question to the replica, which answers those of one client in order. A session's beginning owes nothing.
 */
export type Ask = Exclude<ReplicaRequest<Owed | null>, { kind: "retire" | "transfer" }>;

export type Answer = Exclude<ReplicaOutput<Owed | null>, { kind: "event" }>;

/** So many bytes more of what was sent have been written: 0 when its client does not take them. */
export interface Written {
  readonly client: ClientId;
  readonly bytes: number;
}

export type FrontEffect =
  | { readonly kind: "ask"; readonly ask: Ask }
  | { readonly kind: "send"; readonly client: ClientId; readonly bytes: Uint8Array }
  /** Read no more from this socket until `resume`: its client has asked enough for now. */
  | { readonly kind: "pause" | "resume"; readonly client: ClientId }
  /** Answer a four-letter word, then close. */
  | { readonly kind: "word"; readonly client: ClientId; readonly word: string }
  /** At once, with what was sent and has not gone out, because its client does not read. */
  | { readonly kind: "cutOff"; readonly client: ClientId; readonly reason: string }
  /** After what was sent has gone out. `closed` need not be told. */
  | { readonly kind: "close"; readonly client: ClientId; readonly reason: string };

export interface FrontOptions {
  readonly self: ServerId;
  /** ZooKeeper's `tickTime`: how often is looked whose session has ended. */
  readonly tick: Duration;
  /** What sessions may last. */
  readonly timeouts: { readonly least: Duration; readonly most: Duration };
  /** Every client may do everything. */
  readonly skipAcl: boolean;
  /** How long a connection may take until it has a session; then its client had better try another server. */
  readonly patience: Duration;
  readonly secrets: Secrets;
  readonly options: Options;
  readonly mutant?: Mutant | null | undefined;
}

/**
 * Of a server that is cut off: `shut` sends every client to where it is served, and `readOnly`, where that
 * was allowed, all that want more than to read.
 */
export type FrontMode = "ordinary" | "readOnly" | "shut";
