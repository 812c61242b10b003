/**
 * The model's word held against whole servers in virtual time: the placement forms, serves, loses its leader
 * and serves again, and what its clients saw stands beside what the model said.
 */

import type { ServerId } from "#node/core/identity.ts";
import { seconds, toMilliseconds } from "#node/core/time.ts";
import { conclude } from "../measure/conclude.ts";
import type { Measures } from "../measure/measures.ts";
import { planTrial } from "../plan/flags.ts";
import { type ServicePlan, withService } from "../plan/plan.ts";
import { MACHINE } from "../runner/virtual/machine.ts";
import { simulate } from "../runner/virtual/trial.ts";
import { accessOf, choice, prospect } from "../topology/model.ts";
import { outageFloor } from "../topology/outage.ts";
import type { Topology } from "../topology/topology.ts";
import { lostWith, newsOfLoss, type Outlook } from "./evaluate.ts";
import { LISTED, type Loss } from "./question.ts";

export interface Seen {
  readonly meanMs: number;
  readonly worstMs: number;
  readonly p99Ms: number;
  readonly outageMs: number;
  /** Of clients that keep their server; the others go where they are served first. */
  readonly afterMs: number;
}

export interface ModelCheck {
  readonly modelled: Seen;
  /** Null when the trial was no result. */
  readonly simulated: Seen | null;
  readonly successor: ServerId | null;
  /** A sentence for each thing that is not as the model says. */
  readonly differs: readonly string[];
}

export function check(
  topology: Topology,
  outlook: Outlook,
  order: readonly ServerId[],
  lose: Loss,
  seed: number,
): ModelCheck {
  const plan = planOf(topology, outlook, order, lose, seed);
  const { leader } = outlook;
  const conclusion = conclude(simulate(plan));
  const { measures, verdict } = conclusion;
  const elected = (measures.leaders.after ?? null) as ServerId | null;
  const gone = leader === null ? [] : lostWith(topology, leader, lose);
  const news = newsOfLoss(topology, gone, lose, toMilliseconds(MACHINE.exit));
  const floor = elected === null ? null : outageFloor(topology, elected, gone, news);
  const kept = keptSites(topology, gone);
  const modelled: Seen = {
    ...outlook,
    outageMs: floor?.ms ?? Number.POSITIVE_INFINITY,
    afterMs: elected === null ? Number.NaN : weighted(kept, prospect(topology, elected, gone).sites),
  };
  if (verdict.judgement !== "valid") {
    const reasons = verdict.findings.flatMap((finding) => finding.reasons);
    return { modelled, simulated: null, successor: elected, differs: reasons };
  }
  const simulated = seenIn(topology, kept, measures);
  const differs = differences(modelled, simulated);
  // Whom an oracle holds for as good but for noise may be elected as well.
  const tied = outlook.rule === LISTED ? [] : (choice(topology, outlook.rule, gone)?.tied ?? []);
  if (elected !== outlook.successor && !tied.some((server) => server === elected))
    differs.push(`p${elected ?? "?"} followed instead of p${outlook.successor ?? "?"}`);
  return { modelled, simulated, successor: elected, differs };
}

function planOf(
  topology: Topology,
  { rule, leader }: Outlook,
  order: readonly ServerId[],
  lose: Loss,
  seed: number,
): ServicePlan {
  const site = leader === null ? undefined : topology.servers.get(leader);
  const plan = planTrial({ rate: RATE, duration: "20s", warmUp: "1s", settle: "5s", killAt: "8s" }, "sim");
  const [first] = topology.servers.keys();
  const faults =
    lose === "server" || site === undefined
      ? plan.faults
      : [{ at: seconds(8), fault: { kind: "crash-machine", target: { kind: "site", site } } } as const];
  return withService(
    { ...plan, topology, seed, faults },
    {
      oracle: { name: rule, preference: rule === LISTED ? order : [], module: null },
      firstLeader: leader ?? first ?? plan.subject.firstLeader,
    },
  );
}

/** Sites whose clients use a server that lives on, and their shares of all load. */
function keptSites(topology: Topology, gone: readonly ServerId[]): ReadonlyMap<string, number> {
  const access = accessOf(topology);
  return new Map(
    [...topology.sites.values()].flatMap(({ name, load }) => {
      const isKept = access.get(name)?.servers.every((server) => !gone.includes(server)) === true;
      return load > 0 && isKept ? [[name, load] as const] : [];
    }),
  );
}

/** By the shares of the load that were asked for, not by those that chance made of them. */
function weighted(shares: ReadonlyMap<string, number>, ms: ReadonlyMap<string, number>): number {
  const total = [...shares.values()].reduce((sum, share) => sum + share, 0);
  return [...shares].reduce((sum, [site, share]) => sum + (share / total) * (ms.get(site) ?? Number.NaN), 0);
}

function seenIn({ sites }: Topology, kept: ReadonlyMap<string, number>, measures: Measures): Seen {
  const { latencies, outage } = measures;
  const of = (phase: "before" | "after"): ReadonlyMap<string, number> =>
    new Map(
      Object.entries(latencies.sites).map(([site, phases]) => [
        site,
        phases[phase].latency?.mean ?? Number.NaN,
      ]),
    );
  const loaded = new Map(
    [...sites.values()].flatMap(({ name, load }) => (load > 0 ? [[name, load] as const] : [])),
  );
  return {
    meanMs: weighted(loaded, of("before")),
    worstMs: Math.max(...of("before").values()),
    p99Ms: latencies.overall.before.latency?.p99 ?? Number.NaN,
    outageMs: outage?.ms ?? Number.POSITIVE_INFINITY,
    afterMs: weighted(kept, of("after")),
  };
}

function differences(modelled: Seen, simulated: Seen): string[] {
  const found: string[] = [];
  const note = (what: string, key: keyof Seen, allowed: number): void => {
    const [said, seen] = [modelled[key], simulated[key]];
    if (!(Math.abs(seen - said) <= allowed))
      found.push(`${what} ${seen.toFixed(1)} ms instead of ${said.toFixed(1)}`);
  };
  note("mean", "meanMs", MEAN_MS + SHARE * modelled.meanMs);
  note("worst site", "worstMs", MEAN_MS + SHARE * modelled.worstMs);
  if (Number.isFinite(modelled.afterMs))
    note("mean after the loss", "afterMs", MEAN_MS + SHARE * modelled.afterMs);
  // The ways alone are the least that an outage can take; protocols need more of them.
  if (!(simulated.outageMs > modelled.outageMs - 1)) note("outage", "outageMs", 1);
  return found;
}

/** So few that nothing waits behind anything else, on the longest way too. */
const RATE = "100/s";
const MEAN_MS = 2;
const SHARE = 0.02;
