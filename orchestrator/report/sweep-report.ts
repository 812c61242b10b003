/** The page of a sweep: where each oracle loses to physics, by how much, and on what kind of map. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ALL, armOf, choiceOf, type ArmFinding, type Findings, type Spread } from "../sweep/findings.ts";
import { KINDS } from "../sweep/maps.ts";
import type { Row } from "../sweep/row.ts";
import { comparisonBars } from "./chart/comparison-bars.ts";
import type { Figure } from "./chart/figure.ts";
import { LOOK_COUNT, printNumber } from "./chart/style.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { page, paragraph, pictured, type Section } from "./page/page.ts";
import { drawAll } from "./run-report.ts";

export interface SweepReport {
  readonly findings: Findings;
  /** All there would be. */
  readonly asked: number;
  /** How it was made, name and value. */
  readonly made: readonly (readonly [string, string])[];
}

export async function writeSweep(folder: string, { findings, asked, made }: SweepReport): Promise<void> {
  const all = findings.all();
  const figures = await drawAll(folder, all.length === 0 ? [] : figuresOf(all));
  const missing = asked - findings.trials;
  const lead = html`<p>${findings.trials.toLocaleString("en")} trials in virtual time${
    missing > 0 ? `, of ${asked.toLocaleString("en")} that were asked for` : ""
  }. In each the leader dies; what its successor offers is held against what physics allows it and against the
best successor that there could have been.</p>`;
  const sections: readonly Section[] = [
    { title: "In short", content: answers(all).map(paragraph) },
    { title: "Beside each other", content: figures.map(pictured) },
    { title: "By kind of map", content: [findingTable(all), paragraph(COLUMNS), kinds()] },
    { title: "Where most was lost to another leader", content: [worstTable(findings.worst)] },
    ...(findings.wrong.length === 0 ? [] : [{ title: "No results", content: [wrongTable(findings.wrong)] }]),
    { title: "How it was made", content: [table(["", ""], made, "text")] },
  ];
  writeFileSync(join(folder, "report.html"), page("Oracles on maps at random", lead, sections));
  const json = {
    format: "polebench sweep 1",
    asked,
    trials: findings.trials,
    findings: all,
    made: Object.fromEntries(made),
  };
  writeFileSync(join(folder, "sweep.json"), `${JSON.stringify(json, null, 1)}\n`);
}

/** In a sentence for each arm, for the terminal too. */
export function answers(all: readonly ArmFinding[]): readonly string[] {
  return all
    .filter(({ kind }) => kind === ALL)
    .map(({ arm, trials, valid, choice, choiceShare, service, outage }) => {
      const worst = all
        .filter((one) => one.arm === arm && Object.keys(KINDS).includes(one.kind))
        .sort((a, b) => (b.choiceShare?.mean ?? 0) - (a.choiceShare?.mean ?? 0))[0];
      const where =
        worst === undefined || (worst.choiceShare?.mean ?? 0) < 0.001
          ? ""
          : `, most on ${worst.kind} (${percent(worst.choiceShare)})`;
      return (
        `${arm}: its choice costs ${printed(choice)} ms of the mean (${percent(choiceShare)} of the best ` +
        `leader's)${where}; the service adds ${printed(service)} ms, the outage is ${printed(outage)} ms ` +
        "above the ways. " +
        `${valid} of ${trials} trials are valid.`
      );
    });
}

const percent = (spread: Spread | null | undefined): string =>
  spread === null || spread === undefined ? "none" : `${(100 * spread.mean).toFixed(1)} %`;

const printed = (spread: Spread | null): string => (spread === null ? "none" : printNumber(spread.mean));

const interval = (spread: Spread | null): string =>
  spread === null
    ? ""
    : `${printNumber(spread.mean)} (${printNumber(spread.low)} to ${printNumber(spread.high)})`;

const COLUMNS =
  "In parentheses 95 % of the mean. Choice: by how much another leader's mean would have been less. " +
  "Service: what was measured above what the ways allow the leader that there was. Outage: above what they " +
  "allow it. As expected: one of those was elected that the oracle holds for best, by its formula.";

const kinds = (): Markup =>
  html`<ul>${Object.entries(KINDS).map(([kind, what]) => html`<li>${kind}: ${what}</li>`)}</ul>`;

function findingTable(all: readonly ArmFinding[]): Markup {
  return table(
    [
      "",
      "maps",
      "trials",
      "valid",
      "choice (ms)",
      "of the best",
      "worst 5 % from",
      "service (ms)",
      "outage (ms)",
      "as expected",
    ],
    all.map((one) => [
      one.arm,
      one.kind,
      one.trials,
      one.valid,
      interval(one.choice),
      percent(one.choiceShare),
      one.choice === null ? "" : printNumber(one.choice.p95),
      interval(one.service),
      interval(one.outage),
      one.asExpected === null ? "" : `${(100 * one.asExpected).toFixed(1)} %`,
    ]),
  );
}

function worstTable(rows: readonly Row[]): Markup {
  return table(
    [
      "",
      "map",
      "kind",
      "sites",
      "longest (ms)",
      "one site's load",
      "led by",
      "mean it could have (ms)",
      "the best",
      "lost",
    ],
    rows.map((row) => [
      armOf(row),
      row.map,
      row.kind,
      row.sites,
      printNumber(row.longest_ms),
      `${(100 * row.load_share).toFixed(0)} %`,
      `p${row.leader_after}`,
      printNumber(row.model_after_ms ?? Number.NaN),
      printNumber(row.best_after_ms ?? Number.NaN),
      printNumber(choiceOf(row) ?? Number.NaN),
    ]),
  );
}

const wrongTable = (rows: readonly Row[]): Markup =>
  table(
    ["", "map", "kind", "seed", "verdict", "why"],
    rows.map((row) => [armOf(row), row.map, row.kind, row.seed, row.verdict, row.problem]),
  );

function figuresOf(all: readonly ArmFinding[]): readonly Figure[] {
  const arms = [...new Set(all.map(({ arm }) => arm))];
  const kindsOf = [...new Set(all.map(({ kind }) => kind))]
    .filter((kind) => kind in KINDS)
    .slice(0, LOOK_COUNT);
  const series = kindsOf.length > 0 ? kindsOf : [ALL];
  const bars = (of: (finding: ArmFinding) => Spread | null, scale = 1) =>
    arms.map((arm) => ({
      label: arm.replace(", ", "\n"),
      values: series.map((kind) => {
        const found = all.find((one) => one.arm === arm && one.kind === kind);
        const spread = found === undefined ? null : of(found);
        return (
          spread && {
            middle: scale * spread.mean,
            low: scale * spread.low,
            high: scale * spread.high,
            model: null,
          }
        );
      }),
    }));
  const caption = "means over all valid trials, by kind of map; whiskers: 95 % of the mean";
  return [
    comparisonBars({
      middle: "mean",
      name: "choice",
      title: "What the choice of the leader costs: mean latency above the best leader's",
      caption,
      unit: "% of the best",
      series,
      bars: bars(({ choiceShare }) => choiceShare, 100),
    }),
    comparisonBars({
      middle: "mean",
      name: "outage",
      title: "The outage above what the ways allow the successor",
      caption,
      unit: "ms",
      series,
      bars: bars(({ outage }) => outage),
    }),
  ];
}
