/**
 * What comes of random placements in virtual time, beside what physics allows them: each forms, elects one of
 * the best by its oracle, serves every site, and is without service no longer than it must.
 */

import { type ServerId, serverId } from "#node/core/identity.ts";
import { toMilliseconds } from "#node/core/time.ts";
import { conclude } from "../measure/conclude.ts";
import type { Distance } from "../measure/physics.ts";
import type { Measures } from "../measure/measures.ts";
import type { ServicePlan } from "../plan/plan.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import { MACHINE } from "../runner/virtual/machine.ts";
import { simulate } from "../runner/virtual/trial.ts";
import { choice } from "../topology/model.ts";
import { newsOf, outageFloor } from "../topology/outage.ts";
import { placement } from "./placement.ts";

export const DEMANDS = {
  forms: "forms, and its result is valid",
  elects: "elects one of the best by its oracle",
  serves: "serves every site at physics + 2 ms + 2 %",
  outage: "outage at most physics, the burying and 30 ms",
  sites: "each site's outage at most its own physics, the burying and 60 ms",
} as const;

/** Of each of them; an outage is told beside what physics allows, and how many come near it. */
const DEMANDED = ["forms", "elects", "serves"] as const satisfies readonly (keyof typeof DEMANDS)[];

export type Demand = keyof typeof DEMANDS;

export interface Placed {
  readonly seed: number;
  /** A sentence for each demand that it did not meet. */
  readonly exceeds: ReadonlyMap<Demand, string>;
}

export function place(seed: number): Placed {
  const plan = placement(seed);
  const exceeds = new Map<Demand, string>();
  let recording: ServiceRecording;
  try {
    recording = simulate(plan);
  } catch (error) {
    exceeds.set("forms", error instanceof Error ? error.message : String(error));
    return { seed, exceeds };
  }
  const { measures, verdict } = conclude(recording);
  const note = (demand: Demand, found: string | null): void => {
    if (found !== null) exceeds.set(demand, found);
  };
  const wrong = verdict.findings.flatMap(({ reasons }) => reasons);
  note("forms", verdict.judgement === "valid" ? null : wrong.join("; "));
  note("elects", electsWrongly(plan, measures));
  note("serves", servesSlowly(measures));
  const { outage, sites } = outagesOf(plan, measures);
  note("outage", outage);
  note("sites", sites);
  return { seed, exceeds };
}

/** Forty requests a second tell a load only roughly, and a mean with it. */
function electsWrongly({ topology, subject }: ServicePlan, { leaders, physics }: Measures): string | null {
  const { after } = leaders;
  if (after !== null && physics.expectedLeaders.includes(after)) return null;
  const { oracle, firstLeader } = subject;
  const scores = oracle.name === "latency" ? choice(topology, "latency", [firstLeader])?.scores : undefined;
  const meanOf = (server: number): number => scores?.get(serverId(server))?.["meanMs"] ?? Number.NaN;
  const best = Math.min(...physics.expectedLeaders.map(meanOf));
  if (after !== null && meanOf(after) <= ROUGHLY * best) return null;
  return `p${after ?? "?"} was elected, and p${physics.expectedLeaders.join(" or p")} is best`;
}

function servesSlowly({ physics: { before, after } }: Measures): string | null {
  const slow = (when: string, distance: Distance | null): readonly string[] =>
    distance === null
      ? [`nobody was served ${when} the death`]
      : Object.entries(distance.sites)
          .filter(([, { modelMs, aboveMs }]) => aboveMs > MEAN_MS + MEAN_SHARE * modelMs)
          .map(([site, { modelMs, aboveMs }]) => {
            return `${site} ${when} the death ${aboveMs.toFixed(1)} ms above ${modelMs.toFixed(1)}`;
          });
  return [...slow("before", before), ...slow("after", after)].join(", ") || null;
}

interface Outages {
  readonly outage: string | null;
  readonly sites: string | null;
}

function outagesOf(plan: ServicePlan, { outage, leaders, recovery }: Measures): Outages {
  const dead = [plan.subject.firstLeader];
  const news = newsOf(plan.topology, dead, toMilliseconds(MACHINE.exit));
  const after = leaders.after as ServerId | null;
  const floor = after === null ? null : outageFloor(plan.topology, after, dead, news);
  if (outage === null || floor === null) return { outage: "nobody was served again", sites: null };
  const stages = Object.entries(recovery?.stages ?? {}).map(([stage, ms]) => `${stage} ${ms.toFixed(0)}`);
  const above = (found: number, allowed: number): string =>
    `${found.toFixed(1)} ms, ${(found - allowed).toFixed(1)} above ${allowed.toFixed(1)}`;
  const late = [...floor.sites].flatMap(([site, allowed]) => {
    const found = outage.sites[site] ?? Number.POSITIVE_INFINITY;
    return found > allowed + SITE_MS ? [`${site} ${above(found, allowed)}`] : [];
  });
  return {
    outage:
      outage.ms > floor.ms + OUTAGE_MS
        ? `${above(outage.ms, floor.ms)}: p${after} ${stages.join(", ")}`
        : null,
    sites: late.join(", ") || null,
  };
}

export const isAsDemanded = ({ exceeds }: Placed): boolean =>
  DEMANDED.every((demand) => !exceeds.has(demand));

/** For people: how many met each demand. */
export const summed = (placed: readonly Placed[]): readonly string[] =>
  (Object.keys(DEMANDS) as Demand[]).map((demand) => {
    const met = placed.filter(({ exceeds }) => !exceeds.has(demand)).length;
    return `${met} of ${placed.length}: ${DEMANDS[demand]}`;
  });

const ROUGHLY = 1.04;
const MEAN_MS = 2;
const MEAN_SHARE = 0.02;
const OUTAGE_MS = 30;
const SITE_MS = 60;
