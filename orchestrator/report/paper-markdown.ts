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

function partsOf({ figure, section, claim, notRun, ...rest }: PaperFigure): readonly string[] {
  const head = [`## Figure ${figure}`, `Section ${section}: ${claim}`];
  if (notRun !== null) return [...head, `Not run here: ${notRun}.`];
  const { figures, comparison, checks, expectations, runs, omitted, discarded } = rest;
  const numbers = markdown(
    ["what", "the paper", "physics", "here"],
    comparison.map(({ what, paper, physics, here }) => [what, paper, physics, here]),
  );
  const held = checks.map(({ what, holds }) => `- ${holds ? "holds" : "**differs**"}: ${what}`);
  const expected = expectations.map(
    ({ what, holdsIn, runs: of }) => `- ${what}: in ${holdsIn} of ${of} runs`,
  );
  const lost = discarded.length === 0 ? "" : ` Not counted: ${discarded.join("; ")}.`;
  return [
    ...head,
    ...figures.map(({ name, title }) => `![${title}](${name}.png)`),
    ...(comparison.length === 0 ? [] : [numbers]),
    ...(held.length === 0 ? [] : [held.join("\n")]),
    ...(expected.length === 0 ? [] : [`Expected besides:\n\n${expected.join("\n")}`]),
    ...omitted.map((what) => `Not run: ${what}.`),
    `${runs} runs counted.${lost}`,
  ];
}
