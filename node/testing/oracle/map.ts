/** Servers on a map, and what each of them sees: for tests of oracles. */

import { ensemble, type ServerId, serverId } from "../../core/identity.ts";
import { round } from "../../core/score.ts";
import { type Duration, milliseconds, seconds } from "../../core/time.ts";
import { epoch, type Zxid, zxid } from "../../core/zxid.ts";
import type { Oracle, View } from "../../oracle/oracle.ts";
import { NO_REPORT, type Report } from "../../oracle/report.ts";

export interface OracleMap {
  /** Round trips in ms, by server from 1 on. */
  readonly distances: readonly (readonly number[])[];
  /** Requests a second at each. */
  readonly rates?: readonly number[];
  readonly dead?: readonly number[];
  /** Who led; its clients have to go elsewhere where it is dead. */
  readonly leader?: number;
  readonly reports?: Readonly<Record<number, Partial<Report>>>;
}

export const LAST: Zxid = zxid(epoch(3), 10_000);

export function seenBy(self: number, map: OracleMap): View {
  const { distances, rates = [], dead = [], leader = null } = map;
  const servers = ensemble(distances.map((_, index) => index + 1));
  const living = servers.filter((server) => !dead.includes(server));
  const far = (a: ServerId | number, b: ServerId): Duration => milliseconds(distances[a - 1]?.[b - 1] ?? 0);
  const reportOf = (server: ServerId): Report => ({
    ...NO_REPORT,
    lastZxid: LAST,
    awake: seconds(3600),
    roundTrips: new Map(servers.map((other) => [other, far(server, other)])),
    ...map.reports?.[server],
  });
  const rateOf = (server: ServerId): number => rates[server - 1] ?? 0;
  const gone = leader !== null && dead.includes(leader) ? serverId(leader) : null;
  return {
    self: serverId(self),
    servers,
    roundTrips: new Map(living.map((server) => [server, far(self, server)])),
    requestRates: new Map(living.map((server) => [server, rateOf(server)])),
    unmeasured: [],
    lastZxid: reportOf(serverId(self)).lastZxid,
    reports: new Map(living.map((server) => [server, reportOf(server)])),
    lastLeader: leader === null ? null : serverId(leader),
    departed: gone === null ? null : { server: gone, requestRate: rateOf(gone), report: reportOf(gone) },
  };
}

/** Who would be elected of those that live. */
export function electedOf(oracle: Oracle, map: OracleMap): number {
  const living = map.distances
    .map((_, index) => index + 1)
    .filter((server) => !(map.dead ?? []).includes(server));
  const scores = living.map((server) => ({ server, score: oracle.score(seenBy(server, map), round(2)) }));
  return scores.reduce((a, b) => (oracle.compare(b.score, a.score) >= 0 ? b : a)).server;
}
