/**
 * The page of the paper's experiments: figure by figure what it claims, what came out, and whether that
 * agrees.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../check/verdict.ts";
import type { Provenance } from "../recording/provenance.ts";
import type { Figure } from "./chart/figure.ts";
import { type AcrossRuns, expectationTable } from "./across-runs.ts";
import { countedOf, paperMarkdown } from "./paper-markdown.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { badge, making, page, paragraph, pictured, type Section } from "./page/page.ts";
import { drawAll } from "./run-report.ts";
import { printJunit } from "./table-text.ts";

export interface PaperFigure {
  readonly figure: string;
  readonly section: string;
  readonly claim: string;
  /** Why there is nothing, where there is nothing. */
  readonly notRun: string | null;
  /** What of the figure was left out, each with the reason. */
  readonly omitted: readonly string[];
  readonly runs: number;
  /** Runs that are no result, with the reason; they are not in any number. */
  readonly discarded: readonly string[];
  /** What was tried before the runs that are there, with the reason why it is no result. */
  readonly superseded: readonly string[];
  readonly figures: readonly Figure[];
  readonly comparison: readonly {
    readonly what: string;
    readonly paper: string;
    readonly physics: string;
    readonly here: string;
  }[];
  readonly checks: readonly { readonly what: string; readonly holds: boolean }[];
  /** Of the runs that count: not part of the claim. */
  readonly expectations: readonly AcrossRuns[];
}

export async function writePaperReport(
  folder: string,
  conditions: string,
  provenance: Provenance,
  figures: readonly PaperFigure[],
): Promise<void> {
  const sections: Section[] = [];
  for (const figure of figures) {
    const drawn = await drawAll(folder, figure.figures);
    sections.push({
      title: `Figure ${figure.figure}`,
      content: [...claimOf(figure), ...drawn.map(pictured)],
    });
  }
  const run = figures.filter(({ notRun }) => notRun === null);
  const holding = run.filter(({ checks }) => checks.every(({ holds }) => holds)).length;
  const title = "The experiments of the POLE paper, run again";
  const lead = html`<p>${holding} of ${run.length} figures agree with the paper. ${conditions}.</p>`;
  sections.push(making(provenance));
  writeFileSync(join(folder, "report.html"), page(title, lead, sections));
  writeFileSync(join(folder, "README.md"), paperMarkdown(conditions, provenance, figures));
  writeFileSync(join(folder, "junit.xml"), printJunit(title, figures.flatMap(findingsOf), []));
  const plain = figures.map(({ figures: drawn, ...rest }) => ({
    ...rest,
    charts: drawn.map(({ name }) => name),
  }));
  const text = { format: "polebench paper 2", conditions, provenance, figures: plain };
  writeFileSync(join(folder, "paper.json"), `${JSON.stringify(text, null, 1)}\n`);
}

/** Each check of a figure is a test case, and so is each run that does not count. */
const findingsOf = ({ figure, checks, discarded, runs }: PaperFigure): readonly Finding[] => [
  ...checks.map(
    ({ what, holds }): Finding => ({
      property: `figure ${figure}: ${what}`,
      judgement: holds ? "valid" : "invalid",
      operations: runs,
      reasons: holds ? [] : ["it differs from the paper"],
    }),
  ),
  ...discarded.map(
    (reason): Finding => ({
      property: `figure ${figure}: a run that counts`,
      judgement: "invalid",
      operations: 0,
      reasons: [reason],
    }),
  ),
];

function claimOf(figure: PaperFigure): readonly Markup[] {
  const { section, claim, omitted, comparison, checks, expectations, notRun } = figure;
  if (notRun !== null)
    return [paragraph(`Section ${section}: ${claim}`), paragraph(`Not run here: ${notRun}.`)];
  return [
    paragraph(`Section ${section}: ${claim}`),
    table(
      ["what", "the paper", "physics", "here"],
      comparison.map(({ what, paper, physics, here }) => [what, paper, physics, here]),
      "text",
    ),
    table(
      ["checked", ""],
      checks.map(({ what, holds }) => [what, badge(holds ? "valid" : "invalid")]),
      "text",
    ),
    ...expectationTable(expectations),
    ...omitted.map((what) => paragraph(`Not run: ${what}.`)),
    html`<p class="faint">${countedOf(figure)}</p>`,
  ];
}
