/** How far a measurement is from what physics allows the leader that there was. */

import { type ServerId, serverId } from "#node/core/identity.ts";
import { DEFAULT_ELECTION } from "#node/election/catalog.ts";
import { choice, prospect, prospects } from "../topology/model.ts";
import { newsOf, outageFloor } from "../topology/outage.ts";
import { optionsOfOracle } from "../plan/oracle-plan.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { electedAlone } from "./election-alone.ts";
import type { Latencies } from "./latency.ts";
import { SYSTEMS } from "../system/catalog.ts";

export interface Distance {
  readonly leader: number;
  readonly modelMs: number;
  /**
   * What the replica, its machine and its disk added: the sites' differences, weighted by the shares of the
   * load that the topology says, not by those that chance has made of them.
   */
  readonly aboveMs: number;
  readonly sites: Readonly<Record<string, { readonly modelMs: number; readonly aboveMs: number }>>;
}

/** Who led before the first fault, and once the service had settled. */
export interface Leaders {
  readonly before: number | null;
  readonly after: number | null;
}

export interface Physics {
  readonly before: Distance | null;
  readonly after: Distance | null;
  /**
   * Whom the oracle should have elected: any of these, scores being as close as they are. Empty: not for it
   * to say.
   */
  readonly expectedLeaders: readonly number[];
  /** The least mean that any living server could have offered after the fault, and who. */
  readonly best: { readonly leader: number; readonly meanMs: number } | null;
  /** The outage that is allowed with the leader that was elected: null where nobody died. */
  readonly outageBound: OutageBound | null;
}

/**
 * What the ways allow from the death on, what the election needs by itself, and an allowance for machines:
 * nothing that was measured of the outage itself is in it.
 */
export interface OutageBound {
  /** Whose time is in it; null where who notices goes straight to the successor. */
  readonly election: string | null;
  /** The leader that there was could have been established. */
  readonly establishedMs: number;
  /** And somebody's first write answered; by site too. */
  readonly floorMs: number;
  readonly sites: Readonly<Record<string, number>>;
  readonly ms: number;
  /** When the news of the death could be at each server that lives. */
  readonly news: ReadonlyMap<number, number>;
}

export function physics(
  plan: ServicePlan,
  measured: Latencies,
  leaders: Leaders,
  dead: readonly number[],
  buryingMs: number,
): Physics {
  const gone = dead.map(serverId);
  const { before: first, after: second } = leaders;
  const offers = prospects(plan.topology, gone).toSorted((a, b) => a.meanMs - b.meanMs);
  const [best] = offers;
  const { oracle, workload, system } = plan.subject;
  // What an oracle of one's own should do, only its owner knows.
  const elected =
    oracle.module === null
      ? choice(plan.topology, oracle.name, gone, {
          rate: workload.ratePerSecond,
          options: optionsOfOracle(oracle),
        })
      : null;
  return {
    before: first === null ? null : distance(plan, measured, "before", first, []),
    after:
      second === null || plan.faults.length === 0 ? null : distance(plan, measured, "after", second, dead),
    expectedLeaders: SYSTEMS[system].elects === "by oracle" && dead.length > 0 ? (elected?.tied ?? []) : [],
    best: best === undefined ? null : { leader: best.leader, meanMs: best.meanMs },
    outageBound: dead.length > 0 && second !== null ? allowed(plan, second, gone, buryingMs) : null,
  };
}

function allowed(
  { topology, subject: { system, election } }: ServicePlan,
  successor: number,
  dead: readonly ServerId[],
  buryingMs: number,
): OutageBound | null {
  const news = newsOf(topology, dead, buryingMs);
  const isStraight = SYSTEMS[system].elects !== "by oracle" || election.name === DEFAULT_ELECTION;
  const [gone, ...others] = dead;
  const elected =
    isStraight || gone === undefined || others.length > 0
      ? null
      : electedAlone({ topology, election, dead: gone, successor: serverId(successor), noticedMs: news });
  if (!isStraight && elected === null) return null;
  const knows = (server: ServerId): number => elected?.get(server) ?? news(server);
  const floor = outageFloor(topology, serverId(successor), dead, knows);
  if (floor === null) return null;
  const { establishedMs, ms, sites } = floor;
  const living = [...topology.servers.keys()].filter((server) => !dead.includes(server));
  return {
    election: isStraight ? null : election.name,
    establishedMs,
    floorMs: ms,
    sites: Object.fromEntries(sites),
    ms: ms + OUTAGE_ALLOWANCE_MS,
    news: new Map(living.map((server) => [server, news(server)])),
  };
}

/** Timers, disks and processes together. */
const OUTAGE_ALLOWANCE_MS = 30;

function distance(
  plan: ServicePlan,
  measured: Latencies,
  phase: "before" | "after",
  leader: number,
  dead: readonly number[],
): Distance | null {
  if (measured.overall[phase].latency === null || dead.includes(leader)) return null;
  const model = prospect(plan.topology, serverId(leader), dead.map(serverId));
  const sites: Record<string, { modelMs: number; aboveMs: number }> = {};
  let above = 0;
  for (const [site, byPhase] of Object.entries(measured.sites)) {
    const [ofSite, modelMs] = [byPhase[phase].latency, model.sites.get(site)];
    if (ofSite === null || modelMs === undefined) continue;
    sites[site] = { modelMs, aboveMs: ofSite.mean - modelMs };
    above += (plan.topology.sites.get(site)?.load ?? 0) * (ofSite.mean - modelMs);
  }
  return { leader, modelMs: model.meanMs, aboveMs: above, sites };
}
