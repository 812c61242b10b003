/**
 * What must hold for a run to pass, as people write it: `outage<2s`, `outage<bound` (what physics and an
 * allowance for machines explain), `stall<100ms`, `p99.after<100ms`, `mean.after.slac<=30ms`.
 */

import { suggestion } from "../terminal/problem.ts";
import { DURATION, duration } from "../topology/quantity.ts";
import { PHASES, type Phase } from "./latency.ts";
import type { Measures } from "./measures.ts";
import { type Statistic, type Statistics, STATISTICS } from "../statistics/summary.ts";

export interface Threshold {
  readonly text: string;
  readonly quantity: Quantity;
  readonly orEqual: boolean;
  /** `bound` is known only of the leader that there was. */
  readonly limitMs: number | "bound";
}

type Quantity = { readonly kind: "outage" } | { readonly kind: "stall" } | LatencyQuantity;

interface LatencyQuantity {
  readonly kind: "latency";
  readonly statistic: Statistic;
  readonly phase: Phase;
  readonly site: string | null;
}

export interface ThresholdOutcome {
  readonly text: string;
  readonly passed: boolean;
  /** Null when there was nothing to measure, which does not pass. */
  readonly measuredMs: number | null;
  /** It is known only to be at least that, which does not pass either. */
  readonly atLeast: boolean;
}

/** Null when they are no threshold at all. */
export function wordsOf(text: string): { name: string; orEqual: boolean; limit: string } | null {
  const [, name, sign, limit = ""] = /^\s*([a-z0-9.-]+)\s*(<=?)\s*(\S+)\s*$/.exec(text) ?? [];
  return name === undefined ? null : { name, orEqual: sign === "<=", limit };
}

/** The threshold, or what is wrong with the words. */
export function parseThreshold(text: string, sites: readonly string[]): Threshold | string {
  const words = wordsOf(text);
  if (words === null) return `"${text}" is no threshold such as outage<2s or p99.after<100ms`;
  const { name, orEqual, limit } = words;
  const quantity = parseQuantity(name, sites);
  if (typeof quantity === "string") return quantity;
  if (limit === "bound" && quantity.kind === "outage") return { text, quantity, orEqual, limitMs: limit };
  if (!DURATION.test(limit)) {
    const only = limit === "bound" ? "; only an outage has a bound" : "";
    return `"${limit}" in "${text}" is no duration such as 2s${only}`;
  }
  return { text, quantity, orEqual, limitMs: duration(limit) / 1e3 };
}

function parseQuantity(name: string, sites: readonly string[]): Quantity | string {
  if (name === "outage") return { kind: "outage" };
  if (name === "stall") return { kind: "stall" };
  const [first = "", inPhase = "after", site = null] = name.split(".");
  const statistic = STATISTICS.find((one) => one === first);
  const phase = PHASES.find((one) => one === inPhase);
  if (statistic === undefined)
    return `"${first}" is not measured${suggestion(first, ["outage", "stall", ...STATISTICS])}`;
  if (phase === undefined) return `"${inPhase}" is no phase${suggestion(inPhase, PHASES)}`;
  if (site !== null && !sites.includes(site)) return `unknown site "${site}"${suggestion(site, sites)}`;
  return { kind: "latency", statistic, phase, site };
}

export function meets({ text, quantity, orEqual, limitMs }: Threshold, measures: Measures): ThresholdOutcome {
  const limit = limitMs === "bound" ? (measures.physics.outageBound?.ms ?? null) : limitMs;
  return outcomeOf({ text, orEqual }, valueOf(quantity, measures), limit, isBound(quantity, measures));
}

export function outcomeOf(
  { text, orEqual }: { readonly text: string; readonly orEqual: boolean },
  measuredMs: number | null,
  limitMs: number | null,
  atLeast = false,
): ThresholdOutcome {
  const isBelow =
    measuredMs !== null && limitMs !== null && (measuredMs < limitMs || (orEqual && measuredMs === limitMs));
  return { text, passed: isBelow && !atLeast, measuredMs, atLeast };
}

/** For people. */
export const printMeasured = ({ measuredMs, atLeast }: Omit<ThresholdOutcome, "text" | "passed">): string =>
  measuredMs === null ? "nothing" : `${atLeast ? "at least " : ""}${measuredMs} ms`;

function valueOf(quantity: Quantity, { outage, stall, latencies }: Measures): number | null {
  if (quantity.kind === "outage") return outage?.ms ?? null;
  if (quantity.kind === "stall") return stall?.ms ?? null;
  return latencyOf(quantity, latencies)?.[quantity.statistic] ?? null;
}

const isBound = (quantity: Quantity, { latencies }: Measures): boolean =>
  quantity.kind === "latency" &&
  latencyOf(quantity, latencies)?.atLeast.includes(quantity.statistic) === true;

function latencyOf({ site, phase }: LatencyQuantity, latencies: Measures["latencies"]): Statistics | null {
  const byPhase = site === null ? latencies.overall : latencies.sites[site];
  return byPhase?.[phase].latency ?? null;
}
