/**
 * What physics allows: the latency of a write when nothing takes time but the way.
 *
 * A write goes from its client to a server of the client's site, from there to the leader and back, and at
 * the leader it waits for a quorum: the third nearest of five servers, the leader itself being the nearest
 * (theta_c of the POLE paper, section 3.3). No replica can be faster, so what a measurement shows above this
 * is what the replica, its machine and its disk cost; and whoever an oracle elects, here stands what it could
 * have had.
 */

import type { ServerId } from "#node/core/identity.ts";
import { majority } from "#node/core/quorum.ts";
import { round, type Score } from "#node/core/score.ts";
import { type Duration, microseconds, seconds } from "#node/core/time.ts";
import { epoch, zxid } from "#node/core/zxid.ts";
import { createOracle, type OracleName } from "#node/oracle/catalog.ts";
import type { OracleOptions } from "#node/oracle/options.ts";
import { NO_REPORT, type Report } from "#node/oracle/report.ts";
import type { Oracle, View } from "#node/oracle/oracle.ts";
import { newsOf, outageFloor } from "./outage.ts";
import type { Topology } from "./topology.ts";

/** What one leader can offer. */
export interface Prospect {
  readonly leader: ServerId;
  readonly site: string;
  /** theta_c: the leader's round trip to a quorum. */
  readonly consensusMs: number;
  /** theta_l: the mean over all writes. */
  readonly meanMs: number;
  /** theta_w: from the server farthest from the leader, whether anyone uses it or not. */
  readonly worstMs: number;
  /** The mean over the writes of each site that has clients or living servers. */
  readonly sites: ReadonlyMap<string, number>;
  /** The least that clients can wait for the first write once `dead` are buried; see `outage.ts`. */
  readonly outageMs: number;
}

/** Prospects of every server that lives, by ascending id. */
export function prospects(topology: Topology, dead: readonly ServerId[] = []): readonly Prospect[] {
  const living = alive(topology, dead);
  if (living.length < majority(topology.servers.size)) return [];
  const access = accessOf(topology, dead);
  return living.map((leader) => prospectFrom(topology, leader, dead, access));
}

export const prospect = (topology: Topology, leader: ServerId, dead: readonly ServerId[] = []): Prospect =>
  prospectFrom(topology, leader, dead, accessOf(topology, dead));

function prospectFrom(
  topology: Topology,
  leader: ServerId,
  dead: readonly ServerId[],
  access: ReadonlyMap<string, Access>,
): Prospect {
  const living = alive(topology, dead);
  const roundTrips = living.map((server) => roundTrip(topology, server, leader));
  const quorum = roundTrips.toSorted((a, b) => a - b).slice(0, majority(topology.servers.size));
  const consensus = quorum.at(-1) ?? Number.POSITIVE_INFINITY;
  const sites = new Map<string, number>();
  let mean = 0;
  for (const { name, load } of topology.sites.values()) {
    const { servers, hop } = access.get(name) ?? NOWHERE;
    const forwarding = meanOf(servers.map((server) => roundTrip(topology, server, leader)));
    const latency = consensus + hop + forwarding;
    mean += load * latency;
    const inhabited = living.some((server) => topology.servers.get(server) === name);
    if (load > 0 || inhabited) sites.set(name, latency / 1e3);
  }
  return {
    leader,
    site: siteOf(topology, leader),
    consensusMs: consensus / 1e3,
    meanMs: mean / 1e3,
    worstMs: (consensus + Math.max(...roundTrips)) / 1e3,
    sites,
    // Many are asked for, and most for their latencies alone.
    get outageMs() {
      return outageFloor(topology, leader, dead, newsOf(topology, dead))?.ms ?? Number.POSITIVE_INFINITY;
    },
  };
}

const NO_OPTIONS: OracleOptions = { preference: [] };

export interface Choice {
  readonly leader: ServerId;
  /** Scores this close are decided by measurement noise, or by the id: any of these may be elected. */
  readonly tied: readonly ServerId[];
  /** The numbers behind each living server's score. */
  readonly scores: ReadonlyMap<ServerId, Readonly<Record<string, number>>>;
}

/**
 * Whom an oracle would elect once `dead` (the leader, and perhaps others) are gone and all histories are
 * equal.
 */
export function choice(
  topology: Topology,
  oracleName: OracleName,
  dead: readonly ServerId[],
  { rate = 1000, electionRound = 2, options = NO_OPTIONS } = {},
): Choice | null {
  const oracle: Oracle = createOracle(oracleName, options);
  const inRound = round(electionRound);
  const living = alive(topology, dead);
  const rates = ratesOf(topology, rate);
  const candidates = living.map((server) => {
    const view = viewOf(topology, server, living, rates, dead[0]);
    return { server, score: oracle.score(view, inRound), why: oracle.explain(view, inRound) };
  });
  const ranked = candidates.toSorted((a, b) => oracle.compare(b.score, a.score) || b.server - a.server);
  const [best] = ranked;
  if (best === undefined || living.length < majority(topology.servers.size)) return null;
  const noise = NOISE[oracleName] ?? 0;
  const isAsGood = (score: Score): boolean =>
    score.every((part, at) => Math.abs(part - (best.score[at] ?? part)) <= noise * Math.abs(part));
  const tied = ranked.filter(({ server, score }) => server === best.server || (noise > 0 && isAsGood(score)));
  return {
    leader: best.server,
    tied: tied.map(({ server }) => server).sort((a, b) => a - b),
    scores: new Map(candidates.map(({ server, why }) => [server, why])),
  };
}

/** From one server to another and back. */
export function roundTrip(topology: Topology, a: ServerId, b: ServerId): Duration {
  return microseconds(oneWay(topology, a, b) + oneWay(topology, b, a));
}

/** Which servers the clients of a site use, and how far away these are, there and back. */
export interface Access {
  readonly servers: readonly ServerId[];
  readonly hop: Duration;
}

const NOWHERE: Access = { servers: [], hop: microseconds(0) };

/** Of each site: its own servers, or those of the nearest site that has some. */
export function accessOf(topology: Topology, dead: readonly ServerId[] = []): ReadonlyMap<string, Access> {
  const inhabited = [...topology.sites.values()]
    .map(({ name, servers }) => ({ name, living: servers.filter((server) => !dead.includes(server)) }))
    .filter(({ living }) => living.length > 0);
  const access = new Map<string, Access>();
  for (const site of topology.sites.keys()) {
    const far = (to: string): number => topology.link(site, to).delay + topology.link(to, site).delay;
    let nearest: Access | null = null;
    for (const { name, living } of inhabited) {
      const hop = microseconds(far(name));
      const isOwn = name === site;
      if (nearest === null || isOwn || hop < nearest.hop) nearest = { servers: living, hop };
      if (isOwn) break;
    }
    access.set(site, nearest ?? NOWHERE);
  }
  return access;
}

/** Whatever a server knows when the leader has just died: rates are of the time when it still lived. */
function viewOf(
  topology: Topology,
  self: ServerId,
  living: readonly ServerId[],
  rates: ReadonlyMap<ServerId, number>,
  leader: ServerId | undefined,
): View {
  return {
    self,
    servers: [...topology.servers.keys()],
    roundTrips: new Map(living.map((server) => [server, roundTrip(topology, self, server)])),
    requestRates: new Map(living.map((server) => [server, rates.get(server) ?? 0])),
    unmeasured: [],
    lastZxid: SAME_HISTORY,
    reports: new Map(living.map((server) => [server, reportOf(topology, server)])),
    lastLeader: leader ?? null,
    departed:
      leader === undefined
        ? null
        : { server: leader, requestRate: rates.get(leader) ?? 0, report: reportOf(topology, leader) },
  };
}

const SAME_HISTORY = zxid(epoch(1), 1);

const reportOf = (topology: Topology, self: ServerId): Report => ({
  ...NO_REPORT,
  lastZxid: SAME_HISTORY,
  roundTrips: new Map([...topology.servers.keys()].map((other) => [other, roundTrip(topology, self, other)])),
  awake: LONG_AWAKE,
});

const LONG_AWAKE = seconds(3600);

/** Of each server, while all live: a site's clients share themselves out over the servers that they use. */
function ratesOf(topology: Topology, rate: number): ReadonlyMap<ServerId, number> {
  const rates = new Map<ServerId, number>();
  for (const [site, { servers }] of accessOf(topology)) {
    const share = ((topology.sites.get(site)?.load ?? 0) * rate) / servers.length;
    for (const server of servers) rates.set(server, (rates.get(server) ?? 0) + share);
  }
  return rates;
}

const alive = (topology: Topology, dead: readonly ServerId[]): readonly ServerId[] =>
  [...topology.servers.keys()].filter((server) => !dead.includes(server));

const siteOf = (topology: Topology, server: ServerId): string => topology.servers.get(server) ?? "";

export const oneWay = (topology: Topology, a: ServerId, b: ServerId): Duration =>
  a === b ? microseconds(0) : topology.link(siteOf(topology, a), siteOf(topology, b)).delay;

const meanOf = (values: readonly number[]): number =>
  values.length === 0
    ? Number.POSITIVE_INFINITY
    : values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * How far measured scores stray: means of round trips with the paper's jitter (sd 1.16 %) by 1.5 % at most,
 * counts of some hundred requests by 10 %. What is not measured does not stray, and the id decides.
 */
const NOISE: Partial<Record<OracleName, number>> = {
  request: 0.1,
  consensus: 0.015,
  latency: 0.015,
  "worst-case": 0.015,
  "relocated-latency": 0.015,
  "relocated-worst-case": 0.015,
  recovery: 0.015,
  composite: 0.015,
  site: 0.015,
  hysteresis: 0.015,
};

/** For tables of people. */
export const printMs = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : "never");
