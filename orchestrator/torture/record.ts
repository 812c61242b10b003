/**
 * Many runs, remembered: one line of JSON a run, appended when it ends, so that whoever is stopped has lost
 * the run it was in and nothing else. The table for people is made from the lines.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Report } from "./judgement.ts";
import { SESSION_TIMEOUT_MS } from "./plan.ts";
import { markdown } from "../terminal/table.ts";

/** What ran, and when; records of the first days do not say. */
interface Origin {
  readonly commit: string;
  readonly at: string;
}

export type Recorded = Report & Partial<Origin>;

/** A run that ended before it could be judged; the same seed is tried again, and this line stays. */
export interface Broken extends Named, Origin {
  readonly mutant: string | null;
  /** Why, in a line. */
  readonly broken: string;
}

/** What makes two runs attempts at the same. */
export type Named = Pick<Report, "seed" | "topology" | "system"> & { readonly election?: string };

export const nameOf = ({ seed, topology, system, election }: Named): string =>
  `${system} ${election ?? ""} ${topology} ${seed}`;

/** The runs that were judged. */
export const readRecord = (file: string): readonly Recorded[] =>
  linesOf(file).filter((line): line is Recorded => !("broken" in line));

/** And those that were not. */
export const readBroken = (file: string): readonly Broken[] =>
  linesOf(file).filter((line): line is Broken => "broken" in line);

const linesOf = (file: string): readonly (Recorded | Broken)[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Recorded | Broken] : []))
    : [];

export function appendRecord(file: string, report: Recorded | Broken): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(report)}\n`);
}

/** Every attempt that broke or is invalid, and what came of the same seed afterwards. */
function attemptsOf(reports: readonly Recorded[], broken: readonly Broken[]): string {
  const bad = reports.filter(({ judgement, mutant }) => judgement !== "valid" && mutant === null);
  const laterOf = (one: Named & Partial<Origin>): Recorded | undefined =>
    reports.find(
      (other) => other !== one && nameOf(other) === nameOf(one) && (other.at ?? "") > (one.at ?? ""),
    );
  const rows = [
    ...broken.map((one) => ({ one, found: "broken", why: one.broken })),
    ...bad.map((one) => ({
      one,
      found: one.judgement as string,
      why: one.findings.find(({ judgement }) => judgement !== "valid")?.property ?? "",
    })),
  ].map(({ one, found, why }) => {
    const later = laterOf(one);
    const after = later === undefined ? "nothing" : `${later.judgement}, ${later.commit ?? "?"}`;
    return [nameOf(one).replace(/ +/g, " "), one.commit ?? "?", found, why, after];
  });
  const count = reports.length + broken.length;
  const told = `${count - rows.length} of ${count} attempts are valid or of a mutant.`;
  if (rows.length === 0) return told;
  return [told, "", markdown(["attempt", "commit", "", "why", "superseded by"], rows)].join("\n");
}

/** In Markdown: what was tortured for how long, what it went through, and what was found. */
export function tableOf(reports: readonly Recorded[], broken: readonly Broken[] = []): string {
  const groups = Map.groupBy(reports, ({ system, election, mutant, topology }) => {
    const chosen = election === undefined ? "" : `, election ${election}`;
    return `${system}${chosen}${mutant === null ? "" : `, mutant ${mutant}`}\n${topology}`;
  });
  const runs = [...groups].map(([name, group]) => [...name.split("\n"), ...figuresOf(group).map(String)]);
  const kinds = new Map<string, number>();
  for (const { faults } of reports) {
    for (const [kind, count] of Object.entries(faults)) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  const faults = [...kinds].sort(([, a], [, b]) => b - a).map(([kind, count]) => [kind, String(count)]);
  const findings = [...findingsOf(reports)].map(([property, { operations, invalid, unknown }]) => [
    property,
    ...[operations, invalid, unknown].map(String),
  ]);
  return [
    markdown(["system", "topology", ...FIGURES], runs),
    "",
    markdown(["fault", "times"], faults),
    "",
    markdown(["property", "stood behind it", "runs without it", "runs undecided"], findings),
    "",
    attemptsOf(reports, broken),
    "",
  ].join("\n");
}

const FIGURES = [
  "runs",
  "seeds",
  "hours",
  "faults",
  "checked operations",
  "served again (median, longest)",
  "by every server",
  "invalid",
  "commits",
];

function figuresOf(reports: readonly Recorded[]): readonly (string | number)[] {
  const sum = (of: (report: Report) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const seeds = reports.map(({ seed }) => seed);
  return [
    reports.length,
    `${Math.min(...seeds)} to ${Math.max(...seeds)}`,
    (sum(({ seconds }) => seconds) / 3600).toFixed(2),
    sum(({ faults }) => Object.values(faults).reduce((total, count) => total + count, 0)),
    sum(({ operations }) => operations),
    `${timesOf(reports.map(({ servedAfterMs }) => servedAfterMs))} of ${2 * SESSION_TIMEOUT_MS}`,
    timesOf(reports.map(({ allServedAfterMs }) => allServedAfterMs)),
    sum(({ judgement }) => (judgement === "invalid" ? 1 : 0)),
    [...new Set(reports.map(({ commit }) => commit ?? "?"))].join(", "),
  ];
}

/** Median and longest; a run that never served took for ever, one that did not note it is left out. */
function timesOf(times: readonly (number | null | undefined)[]): string {
  const sorted = times
    .filter((time) => time !== undefined)
    .map((time) => time ?? Infinity)
    .sort((a, b) => a - b);
  return sorted.length === 0 ? "?" : `${sorted[sorted.length >> 1]} ms, ${sorted.at(-1)} ms`;
}

interface Tally {
  operations: number;
  invalid: number;
  unknown: number;
}

function findingsOf(reports: readonly Report[]): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { property, operations, judgement, reasons } of reports.flatMap(({ findings }) => findings)) {
    const tally = tallies.get(property) ?? { operations: 0, invalid: 0, unknown: 0 };
    tally.operations += operations;
    // What was not promised is valid, and has its reasons where it did not hold.
    if (judgement === "unknown") tally.unknown += 1;
    else if (reasons.length > 0) tally.invalid += 1;
    tallies.set(property, tally);
  }
  return tallies;
}
