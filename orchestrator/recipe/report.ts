/** The page and the charts of a trial of recipes, with everything that they were made from beside them. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printTopology } from "../topology/text.ts";
import { middleOf } from "../statistics/middle.ts";
import { mean } from "../statistics/summary.ts";
import { type BarValue, type ComparisonBar, comparisonBars } from "../report/chart/comparison-bars.ts";
import type { Figure } from "../report/chart/figure.ts";
import { html, type Markup, table } from "../report/page/markup.ts";
import { badge, page, paragraph, pictured } from "../report/page/page.ts";
import { drawAll } from "../report/run-report.ts";
import { besideContent, type EnsembleLeader } from "./beside.ts";
import type { Episode, Stages } from "./episode.ts";
import { TROUBLES } from "./plan.ts";
import { type RecipeSummary, summaryOf } from "./summary.ts";
import { cell, conditionsOf, tableOf } from "./text.ts";
import type { RecipeOutcome } from "./trial.ts";

export async function writeRecipeReport(
  folder: string,
  outcome: RecipeOutcome,
  command: string,
  leaders: readonly EnsembleLeader[] = [],
): Promise<RecipeSummary> {
  mkdirSync(folder, { recursive: true });
  const summary = summaryOf(outcome, leaders);
  const { heard, seen, written, counted } = outcome;
  for (const [name, lines] of Object.entries({ heard, seen, written, counted }))
    writeFileSync(join(folder, `${name}.ndjson`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  writeFileSync(join(folder, "summary.json"), `${JSON.stringify(summary, null, 1)}\n`);
  const figures = await drawAll(folder, figuresOf(outcome, conditionsOf(summary)));
  const judgement =
    summary.wrong.length > 0 ? "invalid" : summary.certificate === "valid" ? "valid" : "unknown";
  const names = outcome.courses.map(({ recipe }) => recipe).join(", ");
  const lead = html`<p>${badge(judgement)} ${conditionsOf(summary)}.</p>`;
  const told = page(`Elections of clients: ${names}`, lead, [
    { title: "Is it a result?", content: verdict(summary) },
    { title: "What handovers take", content: [...figures.map(pictured), numbers(summary)] },
    ...(leaders.length === 0
      ? []
      : [
          {
            title: "Members beside elections of replicas",
            content: besideContent(outcome.plan, summary, leaders),
          },
        ]),
    { title: "What befell the leaders", content: [meanings(outcome)] },
    { title: "Every handover by its stages", content: [stages(outcome)] },
    {
      title: "How it was made",
      content: [
        html`<pre>${command}</pre>`,
        html`<details><summary>The topology</summary>
<pre>${printTopology(outcome.plan.service.topology)}</pre></details>`,
      ],
    },
  ]);
  writeFileSync(join(folder, "report.html"), told);
  return summary;
}

function figuresOf({ courses }: RecipeOutcome, conditions: string): readonly Figure[] {
  const episodes = courses.flatMap((course) => course.episodes);
  const groups = [...Map.groupBy(episodes, ({ recipe, trouble }) => `${recipe}\n${trouble}`)];
  const bars = (of: (episode: Episode) => number | null, model: (episode: Episode) => number | null) =>
    groups.flatMap(([label, all]) => {
      const value = valueOf(all, of, model);
      return value === null ? [] : [{ label, values: [value] }];
    });
  const none = (): null => null;
  return [
    ...handover(
      bars(
        ({ sinceEnd, theory }) => (theory === null ? null : sinceEnd),
        ({ theory }) => theory?.ms ?? null,
      ),
      conditions,
    ),
    comparisonBars({
      name: "nobody",
      title: "For how long nobody led",
      caption: `from the trouble until the next leads; ${conditions}`,
      unit: "ms",
      series: ["nobody led"],
      bars: bars(({ nobody }) => nobody, none),
    }),
    comparisonBars({
      name: "several",
      title: "For how long two acted as leaders",
      caption: `what is fenced turned the earlier away; ${conditions}`,
      unit: "ms",
      series: ["several led"],
      bars: bars(({ several }) => several, none),
    }),
    comparisonBars({
      name: "notifications",
      title: "Notifications of one handover, counted at the servers",
      caption: conditions,
      unit: "notifications",
      model: "the formula",
      series: ["notifications"],
      bars: groups.map(([label, all]) => {
        const said = all.filter(({ theory }) => typeof theory?.notifications === "number");
        const told = ({ counts }: Episode): number => counts.notifications;
        const formula = ({ theory }: Episode): number | null => theory?.notifications ?? null;
        return { label, values: [valueOf(said.length > 0 ? said : all, told, formula)] };
      }),
    }),
    comparisonBars({
      name: "requests",
      title: "Requests of one handover, counted at the servers",
      caption: conditions,
      unit: "requests",
      series: ["lists", "other reads", "writes"],
      bars: groups.map(([label, all]) => ({
        label,
        values: [
          valueOf(all, ({ counts }) => counts.lists, none),
          valueOf(all, ({ counts }) => counts.reads, none),
          valueOf(all, ({ counts }) => counts.writes, none),
        ],
      })),
    }),
  ];
}

/** Not every trouble ends a leader's session and nothing else; nor may any of them. */
const handover = (bars: readonly ComparisonBar[], conditions: string): readonly Figure[] =>
  bars.length === 0
    ? []
    : [
        comparisonBars({
          name: "handover",
          title: "From the end of the old leader's session until the next leads",
          caption: `whiskers: 95 % interval of the median; ${conditions}`,
          unit: "ms",
          model: "the formula",
          series: ["since the session's end"],
          bars,
        }),
      ];

function valueOf(
  episodes: readonly Episode[],
  of: (episode: Episode) => number | null,
  modelOf: (episode: Episode) => number | null,
): BarValue | null {
  const known = (values: readonly (number | null)[]): readonly number[] =>
    values.filter((value) => value !== null);
  const found = middleOf(known(episodes.map(of)));
  const models = known(episodes.map(modelOf));
  return found === null ? null : { ...found, model: models.length === 0 ? null : mean(models) };
}

function verdict(summary: RecipeSummary): readonly Markup[] {
  const { wrong, certificate, recipes } = summary;
  const network =
    certificate === "valid"
      ? "The network was what it was asked to be."
      : "The network was not what it was asked to be: times say little.";
  if (wrong.length > 0)
    return [html`<ul>${wrong.map((one) => html`<li>${one}</li>`)}</ul>`, paragraph(network)];
  const writes = recipes.reduce((sum, { writes: { taken } }) => sum + taken, 0);
  return [
    paragraph(`Of ${writes} writes that what is fenced took, none was of an earlier term after a later one.`),
    paragraph(network),
  ];
}

function numbers(summary: RecipeSummary): Markup {
  const [head = [], ...rows] = tableOf(summary);
  return table(head, rows);
}

const meanings = ({ plan }: RecipeOutcome): Markup =>
  table(
    ["", "what is done"],
    plan.troubles.map((trouble) => [trouble, TROUBLES[trouble]]),
    "text",
  );

const STAGES = [
  "sessionEnd",
  "noticed",
  "evaluated",
  "elected",
  "claimed",
  "takesOver",
  "ready",
  "acts",
] as const satisfies readonly (keyof Stages)[];

const stages = ({ courses }: RecipeOutcome): Markup =>
  table(
    [
      "recipe",
      "trouble",
      "from",
      "to",
      "session end",
      "noticed",
      "evaluated",
      "elected",
      "claimed",
      "takes over",
      "ready",
      "acts",
      "since the session's end",
      "formula",
      "nobody",
      "several",
    ],
    courses.flatMap(({ episodes }) =>
      episodes.map(({ recipe, trouble, from, to, stages: each, sinceEnd, theory, nobody, several }) => [
        recipe,
        trouble,
        from,
        to ?? "",
        ...[...STAGES.map((stage) => each[stage]), sinceEnd, theory?.ms ?? null, nobody, several].map(cell),
      ]),
    ),
  );
