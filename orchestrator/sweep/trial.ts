/** A cell carried out in virtual time, and what is kept of it. */

import type { ServerId } from "#node/core/identity.ts";
import { toMilliseconds } from "#node/core/time.ts";
import { judgeRun } from "../measure/judgement.ts";
import { measure, type Measures } from "../measure/measures.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { sourcesOfSweep } from "./sources.ts";
import { MACHINE } from "../runner/virtual/machine.ts";
import { simulate } from "../runner/virtual/trial.ts";
import { prospects, roundTrip } from "../topology/model.ts";
import { newsOf, outageFloor } from "../topology/outage.ts";
import type { Topology } from "../topology/topology.ts";
import { type Cell, idOf, planned } from "./cell.ts";
import type { Row } from "./row.ts";

export function carriedOut(cell: Cell): Row {
  const started = process.cpuUsage();
  const { kind, plan } = planned(cell);
  const spent = (): number => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1e6;
  };
  const known = { ...givenOf(cell, plan), kind };
  try {
    const recording = simulate(plan);
    const measures = measure(recording);
    const { judgement, findings } = judgeRun(recording, measures);
    const reasons = findings.flatMap((finding) => (finding.judgement === "valid" ? [] : finding.reasons));
    return {
      ...known,
      ...foundOf(plan, measures),
      verdict: judgement,
      problem: reasons[0] ?? null,
      processor_s: spent(),
    };
  } catch (error) {
    // Not forming, or a failed assertion of the replica's: findings, like any other.
    const problem = error instanceof Error ? error.message : String(error);
    return { ...known, ...NOTHING, verdict: "failed", problem, processor_s: spent() };
  }
}

/** Known before it is tried. */
function givenOf(cell: Cell, { topology }: ServicePlan) {
  const { place, oracle, election, seed } = cell;
  const servers = [...topology.servers.keys()];
  const trips = servers
    .flatMap((a) => servers.map((b) => roundTrip(topology, a, b) / 1e3))
    .filter((ms) => ms > LAN_MS);
  const longest = Math.max(LAN_MS, ...trips);
  return {
    id: idOf(cell, sourcesOfSweep()),
    map: place.kind === "drawn" ? place.map : 0,
    oracle,
    election,
    seed,
    servers: servers.length,
    sites: new Set(topology.servers.values()).size,
    longest_ms: longest,
    spread: longest / Math.min(longest, ...trips),
    load_share: Math.max(...[...topology.sites.values()].map(({ load }) => load)),
  };
}

const LAN_MS = 0.2;

type Found = Omit<Row, keyof ReturnType<typeof givenOf> | "kind" | "verdict" | "problem" | "processor_s">;

const NOTHING: Found = {
  leader_before: null,
  leader_after: null,
  as_expected: null,
  acknowledged: 0,
  not_acknowledged: 0,
  mean_before_ms: null,
  mean_after_ms: null,
  worst_after_ms: null,
  p99_after_ms: null,
  model_after_ms: null,
  best_after_ms: null,
  outage_ms: null,
  outage_floor_ms: null,
  best_outage_floor_ms: null,
};

function foundOf({ topology, subject: { firstLeader } }: ServicePlan, measures: Measures): Found {
  const { latencies, leaders, outcomes, outage, physics } = measures;
  const after = leaders.after as ServerId | null;
  const dead = [firstLeader];
  const offers = prospects(topology, dead);
  const news = newsOf(topology, dead, toMilliseconds(MACHINE.exit));
  const floorOf = (next: ServerId): number | null => outageFloor(topology, next, dead, news)?.ms ?? null;
  const floors = offers.flatMap(({ leader }) => floorOf(leader) ?? []);
  const means = meansOf(topology, measures, "after");
  return {
    leader_before: leaders.before,
    leader_after: after,
    as_expected:
      physics.expectedLeaders.length === 0 ? null : Number(physics.expectedLeaders.includes(after ?? 0)),
    acknowledged: outcomes.ok,
    not_acknowledged: outcomes.failed + outcomes.unknown,
    mean_before_ms: meansOf(topology, measures, "before").mean,
    mean_after_ms: means.mean,
    worst_after_ms: means.worst,
    p99_after_ms: latencies.overall.after.latency?.p99 ?? null,
    model_after_ms: offers.find(({ leader }) => leader === after)?.meanMs ?? null,
    best_after_ms: leastOf(offers.map(({ meanMs }) => meanMs)),
    outage_ms: outage?.ms ?? null,
    outage_floor_ms: after === null ? null : floorOf(after),
    best_outage_floor_ms: leastOf(floors),
  };
}

const leastOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.min(...values);

/** By the shares of the load that the map says; null when a site was not served. */
function meansOf({ sites }: Topology, { latencies }: Measures, phase: "before" | "after") {
  const means = [...sites.values()].flatMap(({ name, load }) =>
    load > 0 ? [{ load, ms: latencies.sites[name]?.[phase].latency?.mean ?? null }] : [],
  );
  let [mean, worst] = [0, 0];
  for (const { load, ms } of means) {
    if (ms === null) return { mean: null, worst: null };
    mean += load * ms;
    worst = Math.max(worst, ms);
  }
  return { mean, worst };
}
