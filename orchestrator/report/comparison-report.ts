/** The page of a comparison: the arms side by side, what differs for sure, and what is noise. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { differs } from "../statistics/comparison.ts";
import { middleOf, NOT_ENOUGH_RUNS } from "../statistics/middle.ts";
import { type Provenance, provenanceOf } from "../recording/provenance.ts";
import { AGAIN } from "../plan/matrix.ts";
import { demandTables, expectationsAcross, thresholdsAcross } from "./across-runs.ts";
import type { BarValue } from "./chart/comparison-bars.ts";
import type { Table } from "./chart/figure.ts";
import { printMs } from "./chart/style.ts";
import {
  type ComparedRun,
  type Group,
  leadersOf,
  meanAfterOf,
  meanModel,
  modelAfterOf,
  modelsByLeader,
  type OtherAttempt,
  outageOf,
  p99AfterOf,
  valueOf,
} from "./compared-run.ts";
import {
  againLine,
  type Differences,
  differencesOf,
  differencesShown,
  openQuestion,
  warningOf,
} from "./comparison-differences.ts";
import { comparisonFigures } from "./comparison-figures.ts";
import { ABOUT_ELECTIONS, electionsFigures, electionsTable } from "./elections-compared.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { badge, making, page, paragraph, pictured } from "./page/page.ts";
import { drawAll } from "./run-report.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { printCsv, printJunit } from "./table-text.ts";

export interface ComparisonResult {
  readonly text: string;
  readonly differences: Differences;
}

export const COMPARED = ["oracle", "election"] as const;
export type ComparedKind = (typeof COMPARED)[number];

/** What was compared, and how. */
export interface Compared {
  readonly title: string;
  /** What the arms are: oracles, unless told otherwise. */
  readonly kind?: ComparedKind;
  /** Sentences that the page says besides. */
  readonly notes?: readonly string[];
  /** As it was typed. */
  readonly command: string;
  readonly runs: readonly ComparedRun[];
  /** That are no result, and after which a run was tried again. */
  readonly attempts?: readonly OtherAttempt[];
  /** In the order in which they are shown. */
  readonly arms: readonly string[];
}

/** Only valid runs count; the others are listed. */
export async function writeComparison(
  folder: string,
  { title, command, runs, arms, kind = "oracle", notes = [], attempts = [] }: Compared,
): Promise<ComparisonResult> {
  const valid = runs.filter(({ summary }) => summary.verdict.judgement === "valid");
  const named = [...arms, ...new Set(valid.map(({ arm }) => arm).filter((arm) => arm.endsWith(AGAIN)))];
  const groups = named.map((arm) => ({ arm, runs: valid.filter((run) => run.arm === arm) }));
  const found = differencesOf(groups);
  const warning = warningOf(found);
  const made = madeBy(command, runs);
  const caption = title.replace(/^.*?: /, "");
  const figures = kind === "election" ? electionsFigures(groups, caption) : [];
  const elections = await drawAll(folder, figures);
  const drawn = await drawAll(folder, comparisonFigures(groups, caption, kind));
  const counted = `${valid.length} of ${runs.length + attempts.length} attempts are valid and counted.`;
  const lead = html`${warning === null ? [] : [paragraph(warning)]}<p>${counted}</p>`;
  const text = page(title, lead, [
    ...(kind === "election"
      ? [
          {
            title: "Elections",
            content: [
              electionsTable(groups),
              paragraph(ABOUT_ELECTIONS),
              ...notes.map(paragraph),
              ...elections.map(pictured),
            ],
          },
        ]
      : []),
    { title: "Side by side", content: [armTable(groups, kind), paragraph(COLUMNS), ...drawn.map(pictured)] },
    ...(named.length < 2 ? [] : [{ title: "What differs", content: differencesShown(found) }]),
    { title: "Demanded and expected", content: demandTables(valid) },
    { title: "All runs", content: [runTable(runs), ...attemptTable(attempts)] },
    making(made),
  ]);
  writeFileSync(join(folder, "report.html"), text);
  const tried = { made: runs.length + attempts.length, counted: valid.length, others: attempts };
  const json = { ...jsonOf(groups, found), attempts: tried, ...demandsOf(valid), made };
  writeFileSync(join(folder, "comparison.json"), `${JSON.stringify(json, null, 1)}\n`);
  writeFileSync(join(folder, "runs.csv"), printCsv(runCsv(runs)));
  writeFileSync(join(folder, "junit.xml"), junitOf(title, runs));
  const told = [...(warning === null ? [] : [warning]), counted, textOf(groups, found)].join("\n");
  return { text: told, differences: found };
}

/** Of all runs, valid or not. */
function madeBy(command: string, runs: readonly ComparedRun[]): Provenance {
  const seeds = [...new Set(runs.map(({ summary }) => Number(summary.trial["seed"])))].sort((a, b) => a - b);
  const environments = runs.map(({ summary }) => summary.environment);
  return { ...provenanceOf(command, environments), seeds: seeds.join(", ") };
}

const demandsOf = (runs: readonly ComparedRun[]) => ({
  thresholds: thresholdsAcross(runs),
  expectations: expectationsAcross(runs),
});

/** Every property and threshold of every run. */
function junitOf(title: string, runs: readonly ComparedRun[]): string {
  const findings = runs.flatMap(({ id, summary }) =>
    summary.verdict.findings.map((finding) => ({ ...finding, property: `${id}: ${finding.property}` })),
  );
  const thresholds = runs.flatMap(({ id, summary }) =>
    summary.thresholds.map((outcome) => ({ ...outcome, text: `${id}: ${outcome.text}` })),
  );
  return printJunit(title, findings, thresholds);
}

const COLUMNS =
  "Medians of the runs, in parentheses their 95 % intervals, from six runs on. Messages are those between " +
  "servers to elect a leader and bring all " +
  "level; physics is the way alone, for each leader where repetitions had several.";

/** Between servers, to elect and to bring level; null where they do not tell. */
function messagesToRecover({ traffic }: ServiceSummary): number | null {
  const rows = traffic.filter(({ of }) => RECOVERY.some((stage) => stage === of));
  return rows.length === 0 ? null : rows.reduce((sum, { all }) => sum + all.messages, 0);
}

const RECOVERY = ["elected", "discovered", "pulled", "synchronized"];

function armTable(groups: readonly Group[], kind: ComparedKind): Markup {
  const cell = (value: BarValue | null, digits: number): string => {
    if (value === null) return "";
    const [at, low, high] = [value.middle, value.low, value.high].map((one) => one?.toFixed(digits));
    return `${at} (${low === undefined ? NOT_ENOUGH_RUNS : `${low} to ${high}`})`;
  };
  const messages = ({ summary }: ComparedRun): number | null => messagesToRecover(summary);
  return table(
    [
      kind,
      "elected",
      "runs",
      "mean (ms)",
      "p99 (ms)",
      "outage (ms)",
      "messages",
      "physics: mean (ms)",
      "the best leader's",
    ],
    groups.map(({ arm, runs }) => [
      arm,
      leadersOf(runs),
      runs.length,
      cell(valueOf(runs, meanAfterOf), 2),
      cell(valueOf(runs, p99AfterOf), 1),
      cell(valueOf(runs, outageOf), 1),
      valueOf(runs, messages)?.middle.toFixed(0) ?? "",
      physicsOf(runs),
      runs[0]?.summary.physics.bestMeanMs?.toFixed(2) ?? "",
    ]),
  );
}

function physicsOf(runs: readonly ComparedRun[]): string {
  const models = modelsByLeader(runs);
  const ms = (modelMs: number): string => modelMs.toFixed(2);
  if (models.length === 1) return models.map(({ modelMs }) => ms(modelMs)).join("");
  return models.map(({ leader, modelMs }) => `p${leader}: ${ms(modelMs)}`).join(", ");
}

function runTable(runs: readonly ComparedRun[]): Markup {
  const [name, judgement, ...columns] = RUN_COLUMNS;
  return table(
    [name, judgement, ...columns],
    ordered(runs).map((run) => [
      html`<a href="${run.folder}/report.html">${run.id}</a>`,
      badge(run.summary.verdict.judgement),
      ...valuesOf(run).map((value, at) =>
        columns[at]?.endsWith("(ms)") === true ? twoDigits(value) : value,
      ),
    ]),
  );
}

function attemptTable(attempts: readonly OtherAttempt[]): readonly Markup[] {
  if (attempts.length === 0) return [];
  return [
    paragraph("Attempts that are no result, after which the run was tried again:"),
    table(
      ["run", "attempt", "verdict", ""],
      attempts.map(({ id, name, folder, judgement, reason }) => [
        id,
        html`<a href="${folder}/">${name}</a>`,
        judgement,
        reason,
      ]),
      "text",
    ),
  ];
}

const RUN_COLUMNS = [
  "run",
  "verdict",
  "leader",
  "mean after (ms)",
  "p99 after (ms)",
  "outage (ms)",
  "unknown",
  "failed",
] as const;

const ordered = (runs: readonly ComparedRun[]): readonly ComparedRun[] =>
  runs.toSorted((a, b) => a.arm.localeCompare(b.arm) || a.repetition - b.repetition);

/** What stands in the columns after the verdict. */
function valuesOf(run: ComparedRun): readonly (string | number | null)[] {
  const { leaders, outcomes } = run.summary;
  return [
    leaders.after === null ? "" : `p${leaders.after}`,
    meanAfterOf(run),
    p99AfterOf(run),
    outageOf(run),
    outcomes.unknown,
    outcomes.failed,
  ];
}

const twoDigits = (value: string | number | null): string | null =>
  typeof value === "number" ? value.toFixed(2) : value;

const runCsv = (runs: readonly ComparedRun[]): Table => ({
  columns: RUN_COLUMNS,
  rows: ordered(runs).map((run) => [run.id, run.summary.verdict.judgement, ...valuesOf(run)]),
});

function jsonOf(groups: readonly Group[], found: Differences) {
  return {
    format: "polebench comparison 3",
    arms: groups.map(({ arm, runs }) => ({
      arm,
      runs: runs.length,
      leaders: [...new Set(runs.map(({ summary }) => summary.leaders.after))],
      meanAfterMs: middleOf(runs.map(meanAfterOf).filter((value) => value !== null)),
      p99AfterMs: middleOf(runs.map(p99AfterOf).filter((value) => value !== null)),
      outageMs: middleOf(runs.map(outageOf).filter((value) => value !== null)),
      modelMs: meanModel(runs, modelAfterOf),
      models: modelsByLeader(runs),
    })),
    differences: found.arms,
    again: found.again,
  };
}

function textOf(groups: readonly Group[], found: Differences): string {
  const lines = groups.map(({ arm, runs }) => {
    const [latency, gap] = [valueOf(runs, meanAfterOf), valueOf(runs, outageOf)];
    const columns = [arm.padEnd(18), leadersOf(runs).padEnd(8), `${runs.length} runs`];
    return [...columns, `mean ${printMs(latency?.middle)}`.padEnd(14), `outage ${printMs(gap?.middle)}`].join(
      "  ",
    );
  });
  const sure = found.arms
    .filter(differs)
    .map(({ quantity, a, b, mean }) => `  ${quantity}: ${a} minus ${b}: ${mean.toFixed(2)} ms`);
  const open = openQuestion(found);
  return [
    ...lines,
    ...(sure.length === 0 ? [] : ["differs, not by chance:", ...sure]),
    ...(open === null ? [] : [open]),
    ...(groups.length < 2 ? [] : [againLine(found)]),
  ].join("\n");
}
