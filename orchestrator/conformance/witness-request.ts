/** Where the witnesses of a history meet, and what they ask there. */

import { OPEN } from "#node/wire/client/acl.ts";
import type { ClientReply, ClientRequest } from "#node/wire/client/request.ts";

export const PLACES = {
  registers: "/registers",
  /** The one register that is removed now and then. */
  fleeting: "/registers/fleeting",
  set: "/set",
  sequence: "/sequence",
  accounts: "/accounts",
  lock: "/lock",
  ephemerals: "/ephemerals",
} as const;

export const KEYS = [PLACES.fleeting, `${PLACES.registers}/a`, `${PLACES.registers}/b`] as const;

/** What must be there before anything else, parents first. */
export const GROUND = [PLACES.registers, PLACES.set, PLACES.sequence, PLACES.accounts, PLACES.ephemerals];

export const ACCOUNTS = 4;

export const account = (index: number): string => `${PLACES.accounts}/${index}`;

export function createRequest(
  path: string,
  value: string,
  { ephemeral = false, sequential = false } = {},
): ClientRequest & { readonly kind: "create" } {
  const flags = (ephemeral ? 1 : 0) + (sequential ? 2 : 0);
  return { kind: "create", path, data: Buffer.from(value), acl: OPEN, flags, ttl: -1 };
}

/** All at one moment. */
export const readAccounts = (): ClientRequest => ({
  kind: "multiRead",
  operations: Array.from({ length: ACCOUNTS }, (_, index) => ({
    kind: "getData",
    path: account(index),
    watch: false,
  })),
});

export interface Balance {
  readonly path: string;
  readonly balance: number;
  readonly version: number;
}

export function accountsOf(reply: ClientReply | null): Balance[] {
  if (reply?.kind !== "multiRead") return [];
  return reply.results.flatMap((result, index) =>
    result.kind === "getData"
      ? [
          {
            path: account(index),
            balance: Number(Buffer.from(result.data ?? []).toString()),
            version: result.stat.version,
          },
        ]
      : [],
  );
}
