/**
 * Small histories for tests, as tersely as they can be read: `write("a", 1, { at: [3, 5], zxid: 7 })` is an
 * acknowledged write of version 1, invoked at 3 and completed at 5.
 */

import { serverId } from "#node/core/identity.ts";
import { type Instant, instant } from "#node/core/time.ts";
import type { Zxid } from "#node/core/zxid.ts";
import type {
  Digest,
  Disconnection,
  Failure,
  Hold,
  Interruption,
  Notification,
  OperationOf,
  Resumption,
  SessionEnd,
} from "../check/history.ts";

export interface How {
  readonly at?: readonly [number, number];
  readonly session?: string;
  readonly key?: string;
  readonly zxid?: number;
  readonly unknown?: boolean;
  readonly failure?: Failure;
  readonly expected?: number;
  readonly synced?: boolean;
  readonly watch?: boolean;
  readonly owner?: string;
  readonly mzxid?: number;
}

function interval({ at = [0, 1], session = "s1", zxid, unknown = false, failure }: How) {
  const outcome = unknown
    ? ("unknown" as const)
    : failure === undefined
      ? ("ok" as const)
      : ("failed" as const);
  return {
    session,
    invoked: instant(at[0]),
    completed: instant(at[1]),
    outcome,
    failure: failure ?? null,
    zxid: (zxid ?? null) as Zxid | null,
  };
}

export const create = (value: string, how: How = {}): OperationOf<"create"> => ({
  ...interval(how),
  kind: "create",
  key: how.key ?? "x",
  value,
});

export const write = (value: string, version: number | null, how: How = {}): OperationOf<"write"> => ({
  ...interval(how),
  kind: "write",
  key: how.key ?? "x",
  value,
  version,
  expected: how.expected ?? null,
});

export const remove = (how: How = {}): OperationOf<"remove"> => ({
  ...interval(how),
  kind: "remove",
  key: how.key ?? "x",
  expected: how.expected ?? null,
});

/** A synced read, unless said otherwise; a null value for a znode that was not there. */
export const read = (value: string | null, version: number, how: How = {}): OperationOf<"read"> => ({
  ...interval(how),
  kind: "read",
  key: how.key ?? "x",
  synced: how.synced ?? true,
  watch: how.watch ?? false,
  sight:
    value === null ? null : { value, version, mzxid: (how.mzxid ?? 0) as Zxid, owner: how.owner ?? null },
});

export const add = (element: string, how: How = {}): OperationOf<"add"> => ({
  ...interval(how),
  kind: "add",
  key: how.key ?? "x",
  element,
});

export const list = (elements: string, how: How = {}): OperationOf<"list"> => ({
  ...interval(how),
  kind: "list",
  key: how.key ?? "x",
  synced: how.synced ?? true,
  watch: how.watch ?? false,
  elements: elements.split(""),
});

export const draw = (number: number | null, how: How = {}): OperationOf<"draw"> => ({
  ...interval(how),
  kind: "draw",
  key: how.key ?? "x",
  number,
});

export const open = (account: string, amount: number, how: How = {}): OperationOf<"open"> => ({
  ...interval(how),
  kind: "open",
  account,
  amount,
});

export const transfer = (amount: number, how: How = {}): OperationOf<"transfer"> => ({
  ...interval(how),
  kind: "transfer",
  from: "a",
  to: "b",
  amount,
});

export const audit = (balances: readonly number[], how: How = {}): OperationOf<"audit"> => ({
  ...interval(how),
  kind: "audit",
  balances,
});

export const notified = (key: string, session = "s1"): Notification => ({
  kind: "notification",
  session,
  key,
});

export const disconnected = (session = "s1"): Disconnection => ({ kind: "disconnection", session });

export const interrupted = (session = "s1"): Interruption => ({ kind: "interruption", session });

export const resumed = (session = "s1"): Resumption => ({ kind: "resumption", session });

export const hold = (session: string, from: number, until: number, token: number, key = "lock"): Hold => ({
  kind: "hold",
  key,
  session,
  from: from as Instant,
  until: until as Instant,
  token: token as Zxid,
});

export const end = (session: string, at: number): SessionEnd => ({ kind: "end", session, at: at as Instant });

export const digest = (server: number, zxid: number, text: string): Digest => ({
  kind: "digest",
  server: serverId(server),
  zxid: zxid as Zxid,
  digest: text,
});
