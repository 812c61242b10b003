/** What an algorithm of the lectures costs beside what is said of it: a page, charts, tables, a story. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Law, Lecture } from "#node/theory/lecture.ts";
import type { Costs } from "../theory/costs.ts";
import { type Story, transcript } from "../theory/story.ts";
import { printNumber } from "./chart/style.ts";
import { theoryCompared, theoryMessages, theoryTime } from "./chart/theory-lines.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { badge, page, paragraph, pictured, type Section } from "./page/page.ts";
import { drawAll } from "./run-report.ts";
import { storyPage } from "./story-page.ts";

export interface TheoryReport {
  readonly name: string;
  readonly lecture: Lecture;
  readonly costs: readonly Costs[];
  readonly story: Story;
  readonly command: string;
}

export async function writeTheoryReport(folder: string, report: TheoryReport): Promise<void> {
  const { lecture, costs, name, command, story } = report;
  mkdirSync(folder, { recursive: true });
  const unit = lecture.timing === "rounds" ? "rounds" : "delays of a message";
  const figures = await drawAll(folder, [
    theoryMessages(lecture.title, costs, lecture.theory),
    theoryTime(lecture.title, costs, lecture.theory, unit),
  ]);
  writeStory(folder, story);
  const isRight = contradictionsOf(costs).length === 0;
  const lead = html`<p>${badge(isRight ? "valid" : "invalid")} ${lecture.intuition}</p>
<p class="faint">${lecture.source}. ${lecture.medium}, ${lecture.timing}.</p>`;
  const sections: readonly Section[] = [
    { title: "What it costs", content: [verdict(costs), ...figures.map(pictured), numbers(report)] },
    { title: "What is said of it", content: laws(lecture) },
    {
      title: "A story",
      content: [
        html`<p><a href="story.html">The same, step by step</a></p>`,
        html`<pre>${transcript(story)}</pre>`,
      ],
    },
    { title: "How it was made", content: [html`<pre>${command}</pre>`] },
  ];
  writeFileSync(join(folder, "report.html"), page(lecture.title, lead, sections));
  writeFileSync(join(folder, "summary.json"), `${JSON.stringify(summaryOf(name, costs), null, 1)}\n`);
}

export type Compared = Pick<TheoryReport, "name" | "lecture" | "costs">;

/** All algorithms on one page: what each costs in the mean and at worst, and where its own page is. */
export async function writeTheoryIndex(folder: string, all: readonly Compared[]): Promise<void> {
  const own = all.filter(({ lecture }) => lecture.isVariant !== true);
  const figures = await drawAll(folder, [theoryCompared(own, "mean"), theoryCompared(own, "most")]);
  const rows = all.map(({ name, lecture, costs }) => [
    html`<a href="${name}/report.html">${name}</a>`,
    html`<a href="${name}/story.html">a story</a>`,
    lecture.title,
    lecture.timing,
    contradictionsOf(costs).length === 0 ? badge("valid") : badge("invalid"),
  ]);
  const lead = paragraph("What the lectures' elections cost, counted, beside what is said of them.");
  const sections: readonly Section[] = [
    { title: "The algorithms", content: [table(["", "", "", "assumes", ""], rows, "text")] },
    { title: "Beside each other", content: figures.map(pictured) },
  ];
  writeFileSync(join(folder, "report.html"), page("Elections of the lectures", lead, sections));
}

/** To watch, and to read. */
export function writeStory(folder: string, story: Story): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "story.html"), storyPage(story));
  writeFileSync(join(folder, "story.txt"), transcript(story));
}

export const summaryOf = (name: string, costs: readonly Costs[]) => ({ algorithm: name, costs });

export const contradictionsOf = (costs: readonly Costs[]): readonly string[] =>
  costs.flatMap(({ contradictions }) => contradictions);

function verdict(costs: readonly Costs[]): Markup {
  const found = contradictionsOf(costs);
  if (found.length > 0) return html`<ul>${found.map((one) => html`<li>${one}</li>`)}</ul>`;
  const tried = costs.reduce((all, one) => all + one.tried, 0);
  return paragraph(
    `${tried.toLocaleString("en")} elections, each with one leader whom all follow; ` +
      "nothing counted contradicts what is said below.",
  );
}

const printCount = (value: number): string =>
  Number.isInteger(value) ? value.toLocaleString("en") : printNumber(value);

/** For each n what was counted, and beside it what is said. */
export function theoryTable({ lecture, costs }: Pick<TheoryReport, "lecture" | "costs">): {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
} {
  const { best, mean, worst } = lecture.theory;
  const said = (law: Law | null, n: number): string => {
    const value = law?.of(n) ?? null;
    return value === null ? "" : printCount(value);
  };
  return {
    columns: ["n", "played", "least", "said", "mean", "said", "most", "said", "first knows", "last"],
    rows: costs.map(({ n, tried, all, messages, first, last }) => [
      String(n),
      all ? `all ${tried}` : `${tried} drawn`,
      printCount(messages.least),
      said(best, n),
      printCount(messages.mean),
      said(mean, n),
      printCount(messages.most),
      said(worst, n),
      ...[first, last].map((time) =>
        time.least === time.most
          ? printCount(time.most)
          : `${printCount(time.least)} to ${printCount(time.most)}`,
      ),
    ]),
  };
}

function numbers(report: TheoryReport): Markup {
  const { columns, rows } = theoryTable(report);
  return table(columns, rows);
}

function laws({ counted, theory }: Lecture): readonly Markup[] {
  const { best, mean, worst, first, bound, printed } = theory;
  const said = [best, mean, worst, first, bound].filter((law) => law !== null);
  return [
    paragraph(`Messages that count: ${counted.join(", ")}.`),
    html`<ul>${said.map(({ label }) => html`<li>${label}</li>`)}</ul>`,
    ...printed.map(({ label, wrong }) =>
      paragraph(wrong === null ? `The lecture prints: ${label}.` : `Dashed: ${label}. Not so: ${wrong}.`),
    ),
  ];
}
