/** The page of a comparison: the arms side by side, what differs for sure, and what is noise. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Arm, type Difference, differences, type Quantity } from "../statistics/comparison.ts";
import { bootstrap } from "../statistics/interval.ts";
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
  outageOf,
  p99AfterOf,
  valueOf,
} from "./compared-run.ts";
import { comparisonFigures } from "./comparison-figures.ts";
import { ABOUT_ELECTIONS, electionsFigures, electionsTable } from "./elections-compared.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { badge, page, paragraph, pictured } from "./page/page.ts";
import { drawAll } from "./run-report.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { printCsv, printJunit } from "./table-text.ts";

export interface ComparisonResult {
  readonly text: string;
  readonly differences: readonly Difference[];
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
  /** In the order in which they are shown. */
  readonly arms: readonly string[];
}

/** Only valid runs count; the others are listed. */
export async function writeComparison(
  folder: string,
  { title, command, runs, arms, kind = "oracle", notes = [] }: Compared,
): Promise<ComparisonResult> {
  const valid = runs.filter(({ summary }) => summary.verdict.judgement === "valid");
  const named = [...arms, ...new Set(valid.map(({ arm }) => arm).filter((arm) => arm.endsWith(AGAIN)))];
  const groups = named.map((arm) => ({ arm, runs: valid.filter((run) => run.arm === arm) }));
  const found = differences(quantitiesOf(groups.filter(({ arm }) => !arm.endsWith(AGAIN))));
  const made = madeBy(command, runs);
  const caption = title.replace(/^.*?: /, "");
  const figures = kind === "election" ? electionsFigures(groups, caption) : [];
  const elections = await drawAll(folder, figures);
  const drawn = await drawAll(folder, comparisonFigures(groups, caption, kind));
  const lead = html`<p>${String(valid.length)} of ${String(runs.length)} runs are valid and counted.</p>`;
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
    ...(named.length < 2
      ? []
      : [{ title: "What differs", content: [differenceTable(found), noiseFloor(groups)] }]),
    { title: "Demanded and expected", content: demandTables(valid) },
    { title: "All runs", content: [runTable(runs)] },
    { title: "How it was made", content: [table(["", ""], Object.entries(made), "text")] },
  ]);
  writeFileSync(join(folder, "report.html"), text);
  const json = { ...jsonOf(groups, found), ...demandsOf(valid), made };
  writeFileSync(join(folder, "comparison.json"), `${JSON.stringify(json, null, 1)}\n`);
  writeFileSync(join(folder, "runs.csv"), printCsv(runCsv(runs)));
  writeFileSync(join(folder, "junit.xml"), junitOf(title, runs));
  return { text: textOf(groups, found), differences: found };
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

/** What a difference is looked for in. */
const quantitiesOf = (groups: readonly Group[]): readonly Quantity[] =>
  [
    ["mean latency after the fault", meanAfterOf] as const,
    ["p99 latency after the fault", p99AfterOf] as const,
    ["outage", outageOf] as const,
  ].map(([name, of]) => ({ name, arms: groups.map((group) => armOf(group, of)) }));

const armOf = ({ arm, runs }: Group, of: (run: ComparedRun) => number | null): Arm => ({
  name: arm,
  values: new Map(
    runs.flatMap((run) => {
      const value = of(run);
      return value === null ? [] : [[run.repetition, value]];
    }),
  ),
});

const COLUMNS =
  "In parentheses 95 % intervals. Messages are those between servers to elect a leader and bring all " +
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
    const [at, low, high] = [value.mean, value.low, value.high].map((one) => one.toFixed(digits));
    return `${at} (${low} to ${high})`;
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
      valueOf(runs, messages)?.mean.toFixed(0) ?? "",
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

function differenceTable(found: readonly Difference[]): Markup {
  if (found.length === 0)
    return paragraph("Differences need two valid runs of two oracles with the same seeds.");
  return table(
    ["of", "difference in", "difference (ms)", "95 % from", "to", "pairs", "p (Holm)", ""],
    found.map(({ quantity, a, b, interval, p }) => [
      `${a} minus ${b}`,
      quantity,
      interval.mean.toFixed(2),
      interval.low.toFixed(2),
      interval.high.toFixed(2),
      interval.count,
      p < 0.001 ? "< 0.001" : p.toFixed(3),
      p < 0.05 ? "differs" : "could be chance",
    ]),
  );
}

function noiseFloor(groups: readonly Group[]): Markup {
  const again = groups.find(({ arm }) => arm.endsWith(AGAIN));
  const first = groups.find(({ arm }) => again?.arm === `${arm} ${AGAIN}`);
  if (again === undefined || first === undefined)
    return paragraph("Nothing was run twice, so noise is unknown.");
  const gap = (of: (run: ComparedRun) => number | null): number => {
    const [a, b] = [valueOf(first.runs, of), valueOf(again.runs, of)];
    return a === null || b === null ? Number.NaN : Math.abs(a.mean - b.mean);
  };
  return paragraph(
    `What no difference looks like: ${first.arm} and ${again.arm}, the same with other seeds, are ` +
      `${printMs(gap(meanAfterOf))} apart in mean latency, ${printMs(gap(p99AfterOf))} in its p99 and ` +
      `${printMs(gap(outageOf))} in outage.`,
  );
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

function jsonOf(groups: readonly Group[], found: readonly Difference[]) {
  return {
    format: "polebench comparison 2",
    arms: groups.map(({ arm, runs }) => ({
      arm,
      runs: runs.length,
      leaders: [...new Set(runs.map(({ summary }) => summary.leaders.after))],
      meanAfterMs: bootstrap(runs.map(meanAfterOf).filter((value) => value !== null)),
      p99AfterMs: bootstrap(runs.map(p99AfterOf).filter((value) => value !== null)),
      outageMs: bootstrap(runs.map(outageOf).filter((value) => value !== null)),
      modelMs: meanModel(runs, modelAfterOf),
      models: modelsByLeader(runs),
    })),
    differences: found,
  };
}

function textOf(groups: readonly Group[], found: readonly Difference[]): string {
  const lines = groups.map(({ arm, runs }) => {
    const [latency, gap] = [valueOf(runs, meanAfterOf), valueOf(runs, outageOf)];
    const columns = [arm.padEnd(18), leadersOf(runs).padEnd(8), `${runs.length} runs`];
    return [...columns, `mean ${printMs(latency?.mean)}`.padEnd(14), `outage ${printMs(gap?.mean)}`].join(
      "  ",
    );
  });
  const sure = found
    .filter(({ p }) => p < 0.05)
    .map(({ quantity, a, b, interval }) => `  ${quantity}: ${a} minus ${b}: ${interval.mean.toFixed(2)} ms`);
  return [...lines, ...(sure.length === 0 ? [] : ["differs, not by chance:", ...sure])].join("\n");
}
