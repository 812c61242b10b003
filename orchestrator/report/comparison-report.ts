/** The page of a comparison: the arms side by side, what differs for sure, and what is noise. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Arm, type Difference, differences } from "../measure/comparison.ts";
import { bootstrap } from "../measure/interval.ts";
import { mean } from "../measure/summary-statistics.ts";
import { STAGES } from "../measure/recovery.ts";
import { AGAIN } from "../trial/matrix.ts";
import { type BarValue, comparisonBars } from "./chart/comparison-bars.ts";
import { recoveryBars } from "./chart/recovery-bars.ts";
import type { Figure, Table } from "./chart/figure.ts";
import { printMs } from "./chart/style.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { badge, page, paragraph, pictured } from "./page/page.ts";
import { drawAll } from "./run-report.ts";
import type { Summary } from "./summary.ts";
import { printCsv, printJunit } from "./table-text.ts";

export interface ComparedRun {
  readonly id: string;
  /** Where its own report is, seen from the comparison's. */
  readonly folder: string;
  readonly arm: string;
  readonly repetition: number;
  readonly summary: Summary;
}

export interface ComparisonResult {
  readonly text: string;
  readonly differences: readonly Difference[];
}

/** Only valid runs count; the others are listed. `arms` says in which order. */
export async function writeComparison(
  folder: string,
  title: string,
  runs: readonly ComparedRun[],
  arms: readonly string[],
): Promise<ComparisonResult> {
  const valid = runs.filter(({ summary }) => summary.verdict.judgement === "valid");
  const named = [...arms, ...new Set(valid.map(({ arm }) => arm).filter((arm) => arm.endsWith(AGAIN)))];
  const groups = named.map((arm) => ({ arm, runs: valid.filter((run) => run.arm === arm) }));
  const found = differences(groups.filter(({ arm }) => !arm.endsWith(AGAIN)).map(meanAfter));
  const drawn = await drawAll(folder, figuresOf(groups, title.replace(/^.*?: /, "")));
  const lead = html`<p>${String(valid.length)} of ${String(runs.length)} runs are valid and counted.</p>`;
  const text = page(title, lead, [
    { title: "Side by side", content: [armTable(groups), paragraph(COLUMNS), ...drawn.map(pictured)] },
    { title: "What differs", content: [differenceTable(found), noiseFloor(groups)] },
    { title: "All runs", content: [runTable(runs)] },
  ]);
  writeFileSync(join(folder, "report.html"), text);
  writeFileSync(join(folder, "comparison.json"), `${JSON.stringify(jsonOf(groups, found), null, 1)}\n`);
  writeFileSync(join(folder, "runs.csv"), printCsv(runCsv(runs)));
  const findings = runs.flatMap(({ id, summary }) =>
    summary.verdict.findings.map((finding) => ({ ...finding, property: `${id}: ${finding.property}` })),
  );
  writeFileSync(join(folder, "junit.xml"), printJunit(title, findings, []));
  return { text: textOf(groups, found), differences: found };
}

interface Group {
  readonly arm: string;
  readonly runs: readonly ComparedRun[];
}

const meanAfterOf = ({ summary }: ComparedRun): number | null =>
  summary.latencyMs.overall.after?.mean ?? null;
const outageOf = ({ summary }: ComparedRun): number | null => summary.outageMs?.overall ?? null;

const meanAfter = ({ arm, runs }: Group): Arm => ({
  name: arm,
  values: new Map(
    runs.flatMap((run) => {
      const value = meanAfterOf(run);
      return value === null ? [] : [[run.repetition, value]];
    }),
  ),
});

function valueOf(
  runs: readonly ComparedRun[],
  of: (run: ComparedRun) => number | null,
  model: number | null,
): BarValue | null {
  const interval = bootstrap(runs.map(of).filter((value) => value !== null));
  return interval === null ? null : { ...interval, model };
}

const modelAfter = ([run]: readonly ComparedRun[]): number | null =>
  run?.summary.physics.after?.modelMs ?? null;

/** The mean of what each run was allowed, as each noticed the fault in its own time. */
const outageBoundOf = (runs: readonly ComparedRun[]): number | null =>
  bootstrap(runs.map(({ summary }) => summary.physics.outageBoundMs).filter((ms) => ms !== null))?.mean ??
  null;

function leadersOf(runs: readonly ComparedRun[]): string {
  const leaders = new Set(runs.map(({ summary }) => summary.leaders.after));
  return [...leaders]
    .map((leader) => (leader === null ? "nobody" : `p${leader}`))
    .sort()
    .join(", ");
}

function figuresOf(groups: readonly Group[], conditions: string): readonly Figure[] {
  const label = ({ arm, runs }: Group): string => `${arm}\nled by ${leadersOf(runs)}`;
  const sites = Object.keys(
    groups.find(({ runs }) => runs.length > 0)?.runs[0]?.summary.latencyMs.sites ?? {},
  );
  const stages = groups.flatMap(({ arm, runs }) => {
    const recoveries = runs.flatMap(({ summary }) => (summary.recovery === null ? [] : [summary.recovery]));
    if (recoveries.length === 0) return [];
    const means = STAGES.map(
      (stage) => [stage, mean(recoveries.map(({ stagesMs }) => stagesMs[stage]))] as const,
    );
    return [
      {
        label: arm,
        stages: Object.fromEntries(means) as Record<(typeof STAGES)[number], number>,
        unaccountedMs: mean(recoveries.map((one) => one.unaccountedMs)),
      },
    ];
  });
  return [
    comparisonBars({
      name: "mean-latency",
      title: "Mean latency after the fault, by oracle",
      caption: `whiskers: 95 % interval over repetitions; ${conditions}`,
      unit: "mean latency (ms)",
      series: ["all writes"],
      bars: groups.map((group) => ({
        label: label(group),
        values: [valueOf(group.runs, meanAfterOf, modelAfter(group.runs))],
      })),
    }),
    comparisonBars({
      name: "site-latency",
      title: "Mean latency after the fault, by oracle and site of the client",
      caption: `whiskers: 95 % interval over repetitions; ${conditions}`,
      unit: "mean latency (ms)",
      series: sites,
      bars: groups.map((group) => ({
        label: label(group),
        values: sites.map((site) =>
          valueOf(
            group.runs,
            ({ summary }) => summary.latencyMs.sites[site]?.after?.mean ?? null,
            group.runs[0]?.summary.physics.after?.sites[site]?.modelMs ?? null,
          ),
        ),
      })),
    }),
    comparisonBars({
      name: "outage",
      title: "Outage after the fault, by oracle",
      caption: `from the fault to the first acknowledged write; whiskers: 95 % interval; ${conditions}`,
      unit: "outage (ms)",
      series: ["until the first client was served"],
      model: "the bound: detection, four quorum round trips, 50 ms",
      bars: groups.map((group) => ({
        label: label(group),
        values: [valueOf(group.runs, outageOf, outageBoundOf(group.runs))],
      })),
    }),
    ...(stages.length === 0 ? [] : [recoveryBars(stages, `means; ${conditions}`)]),
  ];
}

const COLUMNS =
  "In parentheses 95 % intervals. Messages are those between servers to elect a leader and bring all " +
  "level; physics is the way alone.";

/** Between servers, to elect and to bring level; null where they do not tell. */
function messagesToRecover({ traffic }: Summary): number | null {
  const rows = traffic.filter(({ of }) => RECOVERY.some((stage) => stage === of));
  return rows.length === 0 ? null : rows.reduce((sum, { all }) => sum + all.messages, 0);
}

const RECOVERY = ["elected", "discovered", "pulled", "synchronized"];

function armTable(groups: readonly Group[]): Markup {
  const cell = (value: BarValue | null, digits: number): string => {
    if (value === null) return "";
    const [at, low, high] = [value.mean, value.low, value.high].map((one) => one.toFixed(digits));
    return `${at} (${low} to ${high})`;
  };
  const p99 = ({ summary }: ComparedRun): number | null => summary.latencyMs.overall.after?.p99 ?? null;
  const messages = ({ summary }: ComparedRun): number | null => messagesToRecover(summary);
  return table(
    [
      "oracle",
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
      cell(valueOf(runs, meanAfterOf, null), 2),
      cell(valueOf(runs, p99, null), 1),
      cell(valueOf(runs, outageOf, null), 1),
      valueOf(runs, messages, null)?.mean.toFixed(0) ?? "",
      modelAfter(runs)?.toFixed(2) ?? "",
      runs[0]?.summary.physics.bestMeanMs?.toFixed(2) ?? "",
    ]),
  );
}

function differenceTable(found: readonly Difference[]): Markup {
  if (found.length === 0)
    return paragraph("Differences need two valid runs of two oracles with the same seeds.");
  return table(
    ["mean latency after the fault", "difference (ms)", "95 % from", "to", "pairs", "p (Holm)", ""],
    found.map(({ a, b, interval, p }) => [
      `${a} minus ${b}`,
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
    const [a, b] = [valueOf(first.runs, of, null), valueOf(again.runs, of, null)];
    return a === null || b === null ? Number.NaN : Math.abs(a.mean - b.mean);
  };
  return paragraph(
    `What no difference looks like: ${first.arm} and ${again.arm}, the same with other seeds, are ` +
      `${printMs(gap(meanAfterOf))} apart in mean latency and ${printMs(gap(outageOf))} in outage.`,
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
  const { leaders, latencyMs, outcomes } = run.summary;
  return [
    leaders.after === null ? "" : `p${leaders.after}`,
    meanAfterOf(run),
    latencyMs.overall.after?.p99 ?? null,
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
    format: "polebench comparison 1",
    arms: groups.map(({ arm, runs }) => ({
      arm,
      runs: runs.length,
      leaders: [...new Set(runs.map(({ summary }) => summary.leaders.after))],
      meanAfterMs: bootstrap(runs.map(meanAfterOf).filter((value) => value !== null)),
      outageMs: bootstrap(runs.map(outageOf).filter((value) => value !== null)),
      modelMs: modelAfter(runs),
    })),
    differences: found,
  };
}

function textOf(groups: readonly Group[], found: readonly Difference[]): string {
  const lines = groups.map(({ arm, runs }) => {
    const [latency, gap] = [valueOf(runs, meanAfterOf, null), valueOf(runs, outageOf, null)];
    const columns = [arm.padEnd(18), leadersOf(runs).padEnd(8), `${runs.length} runs`];
    return [...columns, `mean ${printMs(latency?.mean)}`.padEnd(14), `outage ${printMs(gap?.mean)}`].join(
      "  ",
    );
  });
  const sure = found
    .filter(({ p }) => p < 0.05)
    .map(({ a, b, interval }) => `  ${a} minus ${b}: ${interval.mean.toFixed(2)} ms`);
  return [...lines, ...(sure.length === 0 ? [] : ["differs, not by chance:", ...sure])].join("\n");
}
