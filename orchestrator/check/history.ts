/**
 * What clients saw, written down as they saw it: the only thing that checks believe.
 *
 * A history is a list of entries in the order in which they were recorded, which for one session is the order
 * in which they arrived. All instants of a history are of one clock. An operation took effect at some moment
 * between `invoked` and `completed`; one whose outcome is unknown may have taken effect at any moment after
 * `invoked`, or never.
 */

import type { ServerId } from "#node/core/identity.ts";
import type { Instant } from "#node/core/time.ts";
import type { Zxid } from "#node/core/zxid.ts";

export type History = readonly Entry[];

export type Entry =
  | Operation
  | Notification
  | Disconnection
  | Interruption
  | Resumption
  | Hold
  | SessionEnd
  | Digest;

export type Outcome = "ok" | "failed" | "unknown";

/**
 * Why a server refused; what was refused had no effect, but it says something about the state that it met.
 */
export type Failure = "absent" | "exists" | "version" | "other";

interface Interval {
  readonly session: string;
  readonly invoked: Instant;
  readonly completed: Instant;
  readonly outcome: Outcome;
  /** Only of a failed operation. */
  readonly failure: Failure | null;
  /** From the reply: the place of a write in the history, or how far the server was that answered a read. */
  readonly zxid: Zxid | null;
}

export type Action =
  | { readonly kind: "create"; readonly key: string; readonly value: string }
  /** `expected` is null when any version will do; `version` is the one that the reply tells. */
  | {
      readonly kind: "write";
      readonly key: string;
      readonly value: string;
      readonly expected: number | null;
      readonly version: number | null;
    }
  | { readonly kind: "remove"; readonly key: string; readonly expected: number | null }
  /**
   * `synced`: a sync went before it within the same interval. `sight` is null when there was no such znode.
   */
  | {
      readonly kind: "read";
      readonly key: string;
      readonly synced: boolean;
      readonly watch: boolean;
      readonly sight: Sight | null;
    }
  /** Adds an element, named only once in the history, to a set that is never taken from. */
  | { readonly kind: "add"; readonly key: string; readonly element: string }
  | {
      readonly kind: "list";
      readonly key: string;
      readonly synced: boolean;
      /** To be told when there is one more element. */
      readonly watch: boolean;
      readonly elements: readonly string[];
    }
  /** A sequential create below `key`; `number` is what the reply appended to the name. */
  | { readonly kind: "draw"; readonly key: string; readonly number: number | null }
  | { readonly kind: "open"; readonly account: string; readonly amount: number }
  | { readonly kind: "transfer"; readonly from: string; readonly to: string; readonly amount: number }
  /** All accounts at one moment. */
  | { readonly kind: "audit"; readonly balances: readonly number[] };

export type Operation = Interval & Action;

export type OperationOf<Kind extends Action["kind"]> = Interval & Extract<Action, { kind: Kind }>;

/** A znode as a read showed it. */
export interface Sight {
  /** Null when only the stat was asked for. */
  readonly value: string | null;
  readonly version: number;
  /** The transaction that wrote the value. */
  readonly mzxid: Zxid;
  /** The session of an ephemeral. */
  readonly owner: string | null;
}

/** The watch that a session had set on `key` fired. */
export interface Notification {
  readonly kind: "notification";
  readonly session: string;
  readonly key: string;
}

/** The session's connection was lost and its watches were not set again. */
export interface Disconnection {
  readonly kind: "disconnection";
  readonly session: string;
}

/** The session's connection was lost, and its watches will be set again at the next one. */
export interface Interruption {
  readonly kind: "interruption";
  readonly session: string;
}

/** Its watches are set again; what they had missed was told before. */
export interface Resumption {
  readonly kind: "resumption";
  readonly session: string;
}

/**
 * The time during which a session had reason to believe that it held a lock: from the reply that said so
 * until it let go or until its session could have expired without its knowing. `token` is the place of its
 * lock node in the history.
 */
export interface Hold {
  readonly kind: "hold";
  readonly key: string;
  readonly session: string;
  readonly from: Instant;
  readonly until: Instant;
  readonly token: Zxid;
}

/**
 * The session was known to be over by then: its close was acknowledged, or its client was told that it
 * expired.
 */
export interface SessionEnd {
  readonly kind: "end";
  readonly session: string;
  readonly at: Instant;
}

/** The state of one server after one zxid. */
export interface Digest {
  readonly kind: "digest";
  readonly server: ServerId;
  readonly zxid: Zxid;
  readonly digest: string;
}

const ACTIONS: ReadonlySet<string> = new Set<Action["kind"]>([
  "create",
  "write",
  "remove",
  "read",
  "add",
  "list",
  "draw",
  "open",
  "transfer",
  "audit",
]);

export const isOperation = (entry: Entry): entry is Operation => ACTIONS.has(entry.kind);

export function entriesOf<Kind extends Entry["kind"]>(
  history: History,
  ...kinds: readonly Kind[]
): Extract<Entry, { kind: Kind }>[] {
  const wanted: ReadonlySet<string> = new Set(kinds);
  return history.filter((entry): entry is Extract<Entry, { kind: Kind }> => wanted.has(entry.kind));
}

/** As of a service whose sync asks no quorum, and is believed only from this moment on. */
export const syncedFrom = (history: History, from: number): History =>
  history.map((entry) => ("synced" in entry && entry.invoked < from ? { ...entry, synced: false } : entry));

/** In one line, as reasons quote it. */
export function describe(operation: Operation): string {
  const { session, invoked, completed, outcome, failure, zxid, kind, ...rest } = operation;
  const details = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const place = zxid === null ? "" : ` at 0x${zxid.toString(16)}`;
  const result = failure === null ? outcome : `${outcome} (${failure})`;
  return `${session} ${kind} ${details.join(" ")} [${invoked}, ${completed}] ${result}${place}`;
}
