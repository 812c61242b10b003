/**
 * What must hold for a run to pass, as people write it: `outage<2s`, `outage<bound` (what physics and an
 * allowance for machines explain), `silence<2s` (nobody was acknowledged anything), `stall<100ms`,
 * `p99.after<100ms`, `mean.after.slac<=30ms`; and of what is no time `loss<1%`, `throughput>900/s`,
 * `messages.elected<200`.
 */

import { suggestion } from "../terminal/problem.ts";
import { DURATION, duration } from "../topology/quantity.ts";
import { PHASES, type Phase } from "./latency.ts";
import type { Measures } from "./measures.ts";
import type { TrafficRow } from "./traffic.ts";
import { type Statistic, type Statistics, STATISTICS } from "../statistics/summary.ts";

export interface Threshold {
  readonly text: string;
  readonly quantity: Quantity;
  readonly sign: Sign;
  /** In the quantity's unit; `bound` is known only of the leader that there was. */
  readonly limit: number | "bound";
}

const SIGNS = ["<=", "<", ">=", ">"] as const;
export type Sign = (typeof SIGNS)[number];

type Quantity =
  | { readonly kind: "outage" }
  | { readonly kind: "stall" }
  | { readonly kind: "number"; readonly name: string }
  | LatencyQuantity;

interface NumberOf {
  readonly unit: keyof typeof LIMITS;
  of(measures: Measures): number | null;
}

/** How a limit is written in each unit. */
const LIMITS = {
  ms: { form: DURATION, such: "a duration such as 2s", of: (text: string) => duration(text) / 1e3 },
  "%": { form: /^[0-9.]+%$/, such: "a share such as 1%", of: Number.parseFloat },
  "/s": { form: /^[0-9.]+\/s$/, such: "a rate such as 900/s", of: Number.parseFloat },
  "": { form: /^[0-9.]+$/, such: "a number such as 200", of: Number.parseFloat },
} as const;

const all = ({ outcomes: { ok, failed, unknown } }: Measures): number => ok + failed + unknown;
const sentFor =
  (what: TrafficRow["of"], volume: "messages" | "bytes") =>
  ({ traffic }: Measures): number | null =>
    traffic.find((row) => row.of === what)?.all[volume] ?? null;
const FOR = ["elected", "discovered", "pulled", "synchronized"] as const;

/** What is measured besides, by name. */
const NUMBERS: Readonly<Record<string, NumberOf>> = {
  loss: {
    unit: "%",
    of: (measures) => (all(measures) === 0 ? null : 100 * (1 - measures.outcomes.ok / all(measures))),
  },
  failed: { unit: "", of: ({ outcomes }) => outcomes.failed },
  unknown: { unit: "", of: ({ outcomes }) => outcomes.unknown },
  throughput: { unit: "/s", of: ({ outcomes, spans }) => outcomes.ok / (spans.after.to / 1e6) },
  silence: { unit: "ms", of: ({ silence }) => silence?.ms ?? null },
  detection: { unit: "ms", of: ({ recovery }) => recovery?.detectionMs ?? null },
  "above.before": { unit: "ms", of: ({ physics }) => physics.before?.aboveMs ?? null },
  "above.after": { unit: "ms", of: ({ physics }) => physics.after?.aboveMs ?? null },
  ...Object.fromEntries(
    FOR.flatMap((what) => [
      [`messages.${what}`, { unit: "", of: sentFor(what, "messages") }],
      [`bytes.${what}`, { unit: "", of: sentFor(what, "bytes") }],
    ]),
  ),
};

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
  readonly measured: number | null;
  readonly unit: string;
  /** It is known only to be at least that, which is below nothing. */
  readonly atLeast: boolean;
}

/** Null when they are no threshold at all. */
export function wordsOf(text: string): { name: string; sign: Sign; limit: string } | null {
  const [, name, said, limit = ""] = /^\s*([a-z0-9.-]+)\s*([<>]=?)\s*(\S+)\s*$/.exec(text) ?? [];
  const sign = SIGNS.find((one) => one === said);
  return name === undefined || sign === undefined ? null : { name, sign, limit };
}

/** The threshold, or what is wrong with the words. */
export function parseThreshold(text: string, sites: readonly string[]): Threshold | string {
  const words = wordsOf(text);
  if (words === null) return `"${text}" is no threshold such as outage<2s or p99.after<100ms`;
  const { name, sign, limit } = words;
  const quantity = parseQuantity(name, sites);
  if (typeof quantity === "string") return quantity;
  if (limit === "bound" && quantity.kind === "outage") return { text, quantity, sign, limit };
  const { form, such, of } = LIMITS[unitOf(quantity)];
  if (!form.test(limit)) {
    const only = limit === "bound" ? "; only an outage has a bound" : "";
    return `"${limit}" in "${text}" is not ${such}${only}`;
  }
  return { text, quantity, sign, limit: of(limit) };
}

const NAMES = ["outage", "stall", ...STATISTICS, ...Object.keys(NUMBERS)];

function parseQuantity(name: string, sites: readonly string[]): Quantity | string {
  if (name === "outage") return { kind: "outage" };
  if (name === "stall") return { kind: "stall" };
  if (Object.hasOwn(NUMBERS, name)) return { kind: "number", name };
  const [first = "", inPhase = "after", site = null] = name.split(".");
  const statistic = STATISTICS.find((one) => one === first);
  const phase = PHASES.find((one) => one === inPhase);
  if (statistic === undefined) return `"${first}" is not measured${suggestion(first, NAMES)}`;
  if (phase === undefined) return `"${inPhase}" is no phase${suggestion(inPhase, PHASES)}`;
  if (site !== null && !sites.includes(site)) return `unknown site "${site}"${suggestion(site, sites)}`;
  return { kind: "latency", statistic, phase, site };
}

export function meets({ text, quantity, sign, limit }: Threshold, measures: Measures): ThresholdOutcome {
  const known = limit === "bound" ? (measures.physics.outageBound?.ms ?? null) : limit;
  const [value, atLeast] = [valueOf(quantity, measures), isBound(quantity, measures)];
  return outcomeOf({ text, sign }, value, known, { unit: unitOf(quantity), atLeast });
}

const unitOf = (quantity: Quantity): keyof typeof LIMITS =>
  quantity.kind === "number" ? (NUMBERS[quantity.name]?.unit ?? "") : "ms";

export function outcomeOf(
  { text, sign }: { readonly text: string; readonly sign: Sign },
  measured: number | null,
  limit: number | null,
  { unit = "ms", atLeast = false } = {},
): ThresholdOutcome {
  const passed = measured !== null && limit !== null && holds(measured, sign, limit, atLeast);
  return { text, passed, measured, unit, atLeast };
}

/** What is only known to be at least so much may be anything above. */
function holds(measured: number, sign: Sign, limit: number, atLeast: boolean): boolean {
  const isEqual = sign.endsWith("=") && measured === limit;
  return sign.startsWith("<") ? !atLeast && (measured < limit || isEqual) : measured > limit || isEqual;
}

type Measured = Pick<ThresholdOutcome, "measured" | "unit" | "atLeast">;

/** For people. */
export const printMeasured = ({ measured, unit, atLeast }: Measured): string =>
  measured === null ? "nothing" : `${atLeast ? "at least " : ""}${measured} ${unit}`.trimEnd();

function valueOf(quantity: Quantity, measures: Measures): number | null {
  const { outage, stall, latencies } = measures;
  if (quantity.kind === "outage") return outage?.ms ?? null;
  if (quantity.kind === "stall") return stall?.ms ?? null;
  if (quantity.kind === "number") return NUMBERS[quantity.name]?.of(measures) ?? null;
  return latencyOf(quantity, latencies)?.[quantity.statistic] ?? null;
}

function isBound(quantity: Quantity, { latencies, silence }: Measures): boolean {
  if (quantity.kind === "number") return quantity.name === "silence" && silence?.atLeast === true;
  if (quantity.kind !== "latency") return false;
  return latencyOf(quantity, latencies)?.atLeast.includes(quantity.statistic) === true;
}

function latencyOf({ site, phase }: LatencyQuantity, latencies: Measures["latencies"]): Statistics | null {
  const byPhase = site === null ? latencies.overall : latencies.sites[site];
  return byPhase?.[phase].latency ?? null;
}
