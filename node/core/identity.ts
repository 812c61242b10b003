/** Who is who: servers of an ensemble, the clients that one server talks to, and members of a group. */

import { assert } from "./assert.ts";

declare const kind: unique symbol;

/** A server's number in its ensemble, 1 to 255, as in ZooKeeper's `myid`; p1 is server 1. */
export type ServerId = number & { readonly [kind]: "server" };

/** A client connection of one server; means nothing on another. */
export type ClientId = number & { readonly [kind]: "client" };

/**
 * The number of a process in a group that nobody keeps a list of, 1 to 65,535: its address, to be compared.
 */
export type MemberId = number & { readonly [kind]: "member" };

export const MAX_SERVER_ID = 255;
export const MAX_MEMBER_ID = 65_535;

export function serverId(value: number): ServerId {
  assert(Number.isInteger(value) && value >= 1 && value <= MAX_SERVER_ID, () => `no server id: ${value}`);
  return value as ServerId;
}

export function memberId(value: number): MemberId {
  assert(Number.isInteger(value) && value >= 1 && value <= MAX_MEMBER_ID, () => `no member id: ${value}`);
  return value as MemberId;
}

export const clientId = (value: number): ClientId => value as ClientId;

/** The servers of an ensemble in ascending order: every server iterates them alike. */
export function ensemble(ids: Iterable<number>): readonly ServerId[] {
  const servers = [...ids].map(serverId).sort((a, b) => a - b);
  assert(new Set(servers).size === servers.length, `a server id is given twice: ${servers.join(", ")}`);
  return servers;
}
