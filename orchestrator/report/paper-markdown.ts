/**
 * The page of the paper's experiments once more, as Markdown: what is kept in the repository is read where
 * no HTML is shown. Figure by figure the paper's number, what physics allows, and ours.
 */

import type { Provenance } from "../recording/provenance.ts";
import type { PaperFigure } from "./paper-report.ts";
import { markdown } from "../terminal/table.ts";

export function paperMarkdown(
  conditions: string,
  provenance: Provenance,
  figures: readonly PaperFigure[],
): string {
  const facts = Object.entries(provenance).map(([name, value]) => `- ${name}: ${value}`);
  const parts = [
    "# The experiments of the POLE paper, run again",
    `${conditions}.`,
    ...figures.flatMap(partsOf),
    "## How it was made",
    facts.join("\n"),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** In a sentence or two: what was tried, and what of it is in no number. */
export function countedOf({ runs, discarded, superseded }: PaperFigure): string {
  const others = [...superseded, ...discarded];
  const lost = others.length === 0 ? "" : ` Not counted: ${others.join("; ")}.`;
  return `${runs} of ${runs + others.length} attempts counted.${lost}`;
}

function partsOf(of: PaperFigure): readonly string[] {
  const { figure, section, claim, notRun, ...rest } = of;
  const head = [`## Figure ${figure}`, `Section ${section}: ${claim}`];
  if (notRun !== null) return [...head, `Not run here: ${notRun}.`];
  const { figures, comparison, checks, expectations, omitted } = rest;
  const numbers = markdown(
    ["what", "the paper", "physics", "here"],
    comparison.map(({ what, paper, physics, here }) => [what, paper, physics, here]),
  );
  const held = checks.map(({ what, holds }) => `- ${holds ? "holds" : "**differs**"}: ${what}`);
  const expected = expectations.map(({ what, holdsIn, runs }) => `- ${what}: in ${holdsIn} of ${runs} runs`);
  return [
    ...head,
    ...figures.map(({ name, title }) => `![${title}](${name}.png)`),
    ...(comparison.length === 0 ? [] : [numbers]),
    ...(held.length === 0 ? [] : [held.join("\n")]),
    ...(expected.length === 0 ? [] : [`Expected besides:\n\n${expected.join("\n")}`]),
    ...omitted.map((what) => `Not run: ${what}.`),
    countedOf(of),
  ];
}
