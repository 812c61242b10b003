/**
 * Who is called what in an etcd ensemble. A member's id is no choice: etcd takes the first eight bytes of the
 * SHA-1 of where its peers reach it, followed by the cluster's token; so whoever knows the places knows the
 * ids, and can read any server's log.
 */

import { createHash } from "node:crypto";
import { type ServerId, serverId } from "#node/core/identity.ts";
import { HOST } from "../../topology/loopback.ts";
import type { Place } from "../system.ts";

export const TOKEN = "polebench";

export const peerUrl = ({ host = HOST, quorumPort }: Place): string => `http://${host}:${quorumPort}`;
export const clientUrl = ({ host = HOST, clientPort }: Place): string => `http://${host}:${clientPort}`;

export function memberId(place: Place): bigint {
  const digest = createHash("sha1").update(peerUrl(place)).update(TOKEN).digest();
  return digest.readBigUInt64BE(0);
}

/** By their ids as logs show them. */
export const membersOf = (places: readonly Place[]): ReadonlyMap<string, ServerId> =>
  new Map(places.map((place) => [memberId(place).toString(16), serverId(place.id)]));
