/**
 * Round trips as Prometheus has them, text exposition or the answer to a query:
 *
 *     probe_rtt_seconds{source="fra",target="iad"} 0.0912
 *     etcd_network_peer_round_trip_time_seconds_sum{instance="fra",To="iad"} 912.3
 *     etcd_network_peer_round_trip_time_seconds_count{instance="fra",To="iad"} 10000
 *
 * The unit is in the metric's name. Of a summary or a histogram the mean counts, the sum over the count.
 */

import type { Problem } from "../../terminal/problem.ts";
import {
  distinct,
  type DistanceFormat,
  type Distances,
  linesOf,
  type MeasuredTrip,
  type Told,
  UNITS,
  type Unit,
  unitNamed,
} from "./measured.ts";
import { placeOf } from "./ping.ts";

const SAMPLE = /^([a-zA-Z_:][\w:]*)\s*\{(.*)\}\s*(?:=>\s*)?(\S+)(?:\s+@?\[?[\d.]+\]?)?\s*$/;
const LABEL = /([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"/g;
const FROM = [
  "source",
  "src",
  "from",
  "source_region",
  "source_site",
  "origin",
  "prober",
  "node",
  "instance",
];
const TO = [
  "target",
  "dst",
  "dest",
  "destination",
  "to",
  "target_region",
  "target_site",
  "destination_region",
  "peer",
  "remote",
];
const UNIT = /_(seconds|milliseconds|microseconds|ms|us)(?=_|$)/;

export const metrics: DistanceFormat = {
  name: "metrics",
  summary: "Prometheus metrics with labels of both ends, such as source and target",
  recognises: (text) => linesOf(text).some((line) => SAMPLE.test(line.trim())),
  read,
};

interface Sample {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly part: "sum" | "count" | null;
  readonly unit: Unit;
  readonly value: number;
}

function read(text: string, told: Told): Distances {
  const problems: Problem[] = [];
  const samples = linesOf(text).flatMap((line, index) => {
    const sample = sampleOf(line.trim(), index + 1, told);
    if (typeof sample !== "string") return sample === null ? [] : [sample];
    problems.push({ line: index + 1, column: 1, message: sample });
    return [];
  });
  const measured: MeasuredTrip[] = [];
  for (const { line, from, to, part, unit, value } of samples) {
    if (part === "count") continue;
    const count = part === null ? 1 : countOf(samples, from, to);
    if (count === null || count === 0)
      problems.push({
        line,
        column: 1,
        message: `there is no count of what was measured from ${from} to ${to}`,
      });
    else measured.push({ from, to, rttMs: (value / count) * UNITS[unit], line });
  }
  return { measured, names: distinct(measured.flatMap(({ from, to }) => [from, to])), problems };
}

const countOf = (samples: readonly Sample[], from: string, to: string): number | null =>
  samples.find((one) => one.part === "count" && one.from === from && one.to === to)?.value ?? null;

/** What is wrong with the line, or null when it is of something else. */
function sampleOf(line: string, at: number, told: Told): Sample | string | null {
  const [, name = "", labelled = "", number = ""] = SAMPLE.exec(line) ?? [];
  if (name === "" || name.endsWith("_bucket") || /\bquantile\s*=/.test(labelled)) return null;
  const labels = new Map(
    [...labelled.matchAll(LABEL)].map(([, key = "", value = ""]) => [key.toLowerCase(), value]),
  );
  const end = (keys: readonly string[]): string | undefined =>
    keys.map((key) => labels.get(key)).find(Boolean);
  const [from, to] = [end(FROM) ?? told.from ?? undefined, end(TO)];
  if (to === undefined) return null;
  if (from === undefined) return `it does not say from where: a label such as ${FROM.slice(0, 3).join(", ")}`;
  if (placeOf(from) === placeOf(to)) return null;
  const unit = told.unit ?? (UNIT.test(name) ? unitNamed(UNIT.exec(name)?.[1] ?? "") : null);
  if (unit === null) return `${name} does not say its unit; say --unit s, ms or us`;
  const value = Number(number);
  if (!Number.isFinite(value)) return /^NaN$/i.test(number) ? null : `"${number}" is no number`;
  const [, part] = /_(sum|count)$/.exec(name) ?? [];
  return {
    line: at,
    from: placeOf(from),
    to: placeOf(to),
    part: (part as Sample["part"]) ?? null,
    unit,
    value,
  };
}
