/**
 * Many runs, remembered: one line of JSON a run, appended when it ends, so that whoever is stopped has lost
 * the run it was in and nothing else. The table for people is made from the lines.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Report } from "./judgement.ts";
import { SESSION_TIMEOUT_MS } from "./plan.ts";

export function readRecord(file: string): readonly Report[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Report] : []));
}

export function appendRecord(file: string, report: Report): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(report)}\n`);
}

/** In Markdown: what was tortured for how long, what it went through, and what was found. */
export function tableOf(reports: readonly Report[]): string {
  const groups = Map.groupBy(
    reports,
    ({ system, mutant, topology }) =>
      `${mutant === null ? system : `${system}, mutant ${mutant}`} | ${topology}`,
  );
  const runs = [...groups].map(([name, group]) => `| ${[name, ...figuresOf(group)].join(" | ")} |`);
  const kinds = new Map<string, number>();
  for (const { faults } of reports) {
    for (const [kind, count] of Object.entries(faults)) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  const faults = [...kinds].sort(([, a], [, b]) => b - a).map(([kind, count]) => `| ${kind} | ${count} |`);
  const findings = [...findingsOf(reports)].map(
    ([property, { operations, invalid, unknown }]) =>
      `| ${property} | ${operations} | ${invalid} | ${unknown} |`,
  );
  return [
    `| ${["system", "topology", ...FIGURES].join(" | ")} |`,
    "|---|---|---|---|---|---|---|---|---|",
    ...runs,
    "",
    "| fault | times |",
    "|---|---|",
    ...faults,
    "",
    "| property | stood behind it | runs without it | runs undecided |",
    "|---|---|---|---|",
    ...findings,
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
  "invalid",
];

function figuresOf(reports: readonly Report[]): readonly (string | number)[] {
  const sum = (of: (report: Report) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const seeds = reports.map(({ seed }) => seed);
  const served = reports.map(({ servedAfterMs }) => servedAfterMs ?? Infinity).sort((a, b) => a - b);
  return [
    reports.length,
    `${Math.min(...seeds)} to ${Math.max(...seeds)}`,
    (sum(({ seconds }) => seconds) / 3600).toFixed(2),
    sum(({ faults }) => Object.values(faults).reduce((total, count) => total + count, 0)),
    sum(({ operations }) => operations),
    `${served[served.length >> 1]} ms, ${served.at(-1)} ms of ${2 * SESSION_TIMEOUT_MS}`,
    sum(({ judgement }) => (judgement === "invalid" ? 1 : 0)),
  ];
}

interface Tally {
  operations: number;
  invalid: number;
  unknown: number;
}

function findingsOf(reports: readonly Report[]): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { property, operations, judgement } of reports.flatMap(({ findings }) => findings)) {
    const tally = tallies.get(property) ?? { operations: 0, invalid: 0, unknown: 0 };
    tally.operations += operations;
    if (judgement !== "valid") tally[judgement] += 1;
    tallies.set(property, tally);
  }
  return tallies;
}
