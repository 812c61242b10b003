/** The page of an advice: the answer first, then what it rests on, and the configuration to paste. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Advice, Candidate } from "../advice/advise.ts";
import type { ModelCheck } from "../advice/check.ts";
import type { Configuration } from "../advice/configuration.ts";
import { type Outlook, valueOf } from "../advice/evaluate.ts";
import { type Placement, printPlacement } from "../advice/placements.ts";
import { BLIND, GOALS } from "../advice/question.ts";
import { STRAINED, UNSURE } from "../advice/sensitivity.ts";
import { printTopology } from "../topology/text.ts";
import type { Figure, Table } from "./chart/figure.ts";
import { paretoChart } from "./chart/pareto.ts";
import { printMs, printNumber } from "./chart/style.ts";
import { distanceMap, siteMap } from "./page/map.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { isMet, page, paragraph, pictured, type Section } from "./page/page.ts";
import { drawAll } from "./run-report.ts";
import { printCsv } from "./table-text.ts";

export interface Checked {
  readonly placement: Placement;
  readonly check: ModelCheck;
}

export interface AdviceReport {
  readonly advice: Advice;
  /** Of how distances were read, a sentence each. */
  readonly notes: readonly string[];
  readonly checks: readonly Checked[];
  readonly configurations: readonly Configuration[];
  readonly command: string;
}

export async function writeAdvice(folder: string, report: AdviceReport): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { advice, configurations } = report;
  const figures = await drawAll(folder, figuresOf(advice));
  const { ranking, best, strains, topology } = advice;
  const title = `Where ${advice.question.servers} servers should be, of ${topology.sites.size} sites`;
  const sections: readonly Section[] = [
    { title: "On the map", content: [mapOf(advice)] },
    { title: "What else could be had", content: figures.map(pictured) },
    {
      title: "Who decides about the leader",
      content: [outlookTable(best.evaluation.outlooks, best), paragraph(ABOUT_RULES)],
    },
    { title: "The first of all placements", content: [rankingTable(ranking.slice(0, SHOWN))] },
    { title: "When distances change", content: [sureText(advice), strainTable(advice)] },
    { title: "Held against whole servers in virtual time", content: [checkTable(report)] },
    { title: "Configuration to paste", content: configurations.map(configured) },
    ...(report.notes.length === 0
      ? []
      : [
          {
            title: "How the distances were read",
            content: [html`<ul>${report.notes.map((note) => html`<li>${note}</li>`)}</ul>`],
          },
        ]),
    { title: "How it was made", content: [html`<pre>${report.command}</pre>`] },
  ];
  const lead = html`${answerOf(advice).map((sentence) => html`<p>${sentence}</p>`)}`;
  writeFileSync(join(folder, "report.html"), page(title, lead, sections));
  writeFileSync(join(folder, "placements.csv"), printCsv(placementsTable(advice)));
  writeFileSync(
    join(folder, "sensitivity.csv"),
    printCsv({ columns: STRAIN_COLUMNS, rows: strains.map(strainRow) }),
  );
  writeFileSync(join(folder, "advice.json"), `${JSON.stringify(jsonOf(report), null, 1)}\n`);
  writeFileSync(join(folder, "advised-topology.json"), printTopology(best.evaluation.topology));
  for (const { system, text } of configurations)
    writeFileSync(join(folder, `${system.toLowerCase()}.txt`), text);
}

/** The answer in sentences, for the terminal too. */
export function answerOf(advice: Advice): readonly string[] {
  const { best, advised, order, now, question, ranking, sureness } = advice;
  const value = (outlook: Outlook): number => valueOf(question.goal, outlook);
  const list = order.map((server) => `p${server} (${siteOf(best, server)})`).join(", ");
  const decides =
    advised.rule === "preference" ? "the list, which no oracle equals here," : `the oracle ${advised.rule}`;
  return [
    `Servers at ${printPlacement(best.placement)}: ${GOALS[question.goal]} is ` +
      `${printMs(value(best.evaluation.best))} under ${siteOf(best, best.evaluation.best.leader)}, ` +
      `the best of ${ranking.length.toLocaleString("en")} placements.`,
    `Let ${decides} decide about the leader. As a list, best first: ${list}.`,
    ...(now === null
      ? []
      : [
          `Now, at ${printPlacement(now.placement)}, it is ${printMs(value(now.outlook))}` +
            `${now.outlook.leader === null ? ", the mean over whoever leads" : ""}: ` +
            `${printMs(value(now.outlook) - value(advised))} would be gained; ` +
            `${printMs(value(now.outlook) - value(now.evaluation.best))} by another leader alone.`,
        ]),
    `With every distance up to ${100 * UNSURE} % off, it stays within 2 % of the best in ` +
      `${sureness.kept} of ${sureness.draws} draws; at worst another is ${printMs(sureness.worstMs)} better.`,
  ];
}

const siteOf = ({ evaluation: { topology } }: Candidate, server: number | null): string =>
  [...topology.servers].find(([id]) => id === server)?.[1] ?? "whoever it is";

function mapOf({ best, advised }: Advice): Markup {
  const led = topologyNames(best);
  const { topology } = best.evaluation;
  const leaders = { before: advised.leader, after: advised.successor };
  const isDrawn = (from: string, to: string): boolean => led.includes(from) && led.includes(to);
  return siteMap(topology, leaders, isDrawn) ?? distanceMap(topology, leaders, isDrawn);
}

const topologyNames = ({ placement }: Candidate): readonly string[] => [...new Set(placement)];

/** Every placement under every leader; its outage is that with the best successor. */
function figuresOf({ ranking, best, now, question }: Advice): readonly Figure[] {
  const all = ranking.flatMap((one) =>
    one.evaluation.reigns.map((reign) => ({
      ...reign,
      name: `${printPlacement(one.placement)}, led from ${reign.site}`,
      outageMs: Math.min(Number.POSITIVE_INFINITY, ...reign.successors.map(({ outageMs }) => outageMs)),
    })),
  );
  const chart = (key: "worstMs" | "outageMs", name: string, title: string, yAxis: string): Figure => {
    const point = (label: string, placement: Placement, outlook: Outlook) => ({
      label,
      name: `${label}: ${printPlacement(placement)}`,
      x: outlook.meanMs,
      y: outlook[key],
    });
    const named = [
      point("advised", best.placement, best.evaluation.best),
      ...(now === null ? [] : [point("now", now.placement, now.outlook)]),
    ].filter(({ y }) => Number.isFinite(y));
    return paretoChart({
      name,
      title,
      caption: "by the model: the ways alone, nothing else takes time",
      xAxis: "mean over all writes (ms)",
      yAxis,
      of: "a placement and its leader",
      choices: all.map((one) => ({ name: one.name, x: one.meanMs, y: one[key] })),
      named,
    });
  };
  const lost = `Mean against the outage when the leader's ${question.lose} is lost`;
  return [
    chart(
      "worstMs",
      "pareto-worst",
      "Mean against the site that is worst off",
      "mean of the worst site (ms)",
    ),
    chart("outageMs", "pareto-outage", lost, "outage (ms)"),
  ];
}

const ABOUT_RULES =
  `By ${BLIND.join(" and ")} whoever it is leads, whatever the distances: numbers are means over all ` +
  "leaders. Preference is the list above.";

const OUTLOOK_COLUMNS = [
  "",
  "leads",
  "follows",
  "mean (ms)",
  "worst site (ms)",
  "p99 (ms)",
  "outage (ms)",
  "mean after (ms)",
];

function outlookTable(outlooks: readonly Outlook[], of: Candidate): Markup {
  return table(
    OUTLOOK_COLUMNS,
    outlooks.map((one) => [
      one.rule,
      siteOf(of, one.leader),
      siteOf(of, one.successor),
      ...[one.meanMs, one.worstMs, one.p99Ms, one.outageMs, one.afterMs].map(printNumber),
    ]),
  );
}

function rankingTable(first: readonly Candidate[]): Markup {
  return table(
    ["", "servers at", "led from", "mean (ms)", "worst site (ms)", "p99 (ms)", "outage (ms)"],
    first.map((one, index) => {
      const { best } = one.evaluation;
      return [
        String(index + 1),
        printPlacement(one.placement),
        siteOf(one, best.leader),
        ...[best.meanMs, best.worstMs, best.p99Ms, best.outageMs].map(printNumber),
      ];
    }),
  );
}

function sureText({ question, strains }: Advice): Markup {
  const [first] = strains;
  const lead =
    `Each link, and each site's links together, ${STRAINED} times as long: ${GOALS[question.goal]}, ` +
    "where servers are as advised.";
  if (first === undefined) return paragraph(lead);
  return paragraph(`${lead} Worst for the advice is ${first.what}: ${printMs(first.valueMs)}.`);
}

const STRAIN_COLUMNS = [
  "longer",
  "with this leader (ms)",
  "with the best then (ms)",
  "best placement then (ms)",
  "that is",
];

const strainRow = ({ what, valueMs, adaptedMs, bestMs, best }: Advice["strains"][number]) => [
  what,
  valueMs,
  adaptedMs,
  bestMs,
  printPlacement(best),
];

function strainTable({ strains, best, question }: Advice): Markup {
  const usual = valueOf(question.goal, best.evaluation.best);
  const changed = strains.filter(
    ({ valueMs, bestMs }) => valueMs - usual > CHANGED_MS || usual - bestMs > CHANGED_MS,
  );
  const rows = changed
    .slice(0, SHOWN)
    .map((strain) => strainRow(strain).map((cell) => (typeof cell === "number" ? printNumber(cell) : cell)));
  return html`${table(STRAIN_COLUMNS, rows)}
${paragraph(`Of ${strains.length} changes ${changed.length} tell; all are in sensitivity.csv.`)}`;
}

const CHANGED_MS = 0.5;

function checkTable({ checks }: AdviceReport): Markup {
  if (checks.length === 0) return paragraph("Nothing was simulated (--checks 0).");
  return table(
    [
      "servers at",
      "",
      "mean: model",
      "simulated (ms)",
      "worst site",
      "simulated",
      "outage",
      "simulated",
      "what differs",
    ],
    checks.map(({ placement, check: { modelled, simulated, differs } }) => [
      printPlacement(placement),
      isMet(differs.length === 0),
      printNumber(modelled.meanMs),
      printed(simulated?.meanMs),
      printNumber(modelled.worstMs),
      printed(simulated?.worstMs),
      printNumber(modelled.outageMs),
      printed(simulated?.outageMs),
      differs.join("; "),
    ]),
  );
}

const printed = (value: number | undefined): string => (value === undefined ? "" : printNumber(value));

const configured = ({
  system,
  text,
  limits,
}: Configuration): Markup => html`<h3>${system}</h3><pre>${text}</pre>
<ul>${limits.map((limit) => html`<li>${limit}</li>`)}</ul>`;

/** Every placement under every leader and every oracle. */
function placementsTable({ ranking }: Advice): Table {
  return {
    columns: [
      "rank",
      "placement",
      "rule",
      "leader",
      "successor",
      "mean_ms",
      "worst_ms",
      "p99_ms",
      "outage_ms",
      "after_ms",
    ],
    rows: ranking.flatMap((one, index) => [
      ...one.evaluation.outlooks.map((outlook) => [
        index + 1,
        printPlacement(one.placement),
        outlook.rule,
        outlook.leader === null ? "" : siteOf(one, outlook.leader),
        outlook.successor === null ? "" : siteOf(one, outlook.successor),
        ...[outlook.meanMs, outlook.worstMs, outlook.p99Ms, outlook.outageMs, outlook.afterMs].map(rounded),
      ]),
      ...one.evaluation.reigns.map((reign) => [
        index + 1,
        printPlacement(one.placement),
        "led",
        reign.site,
        "",
        ...[reign.meanMs, reign.worstMs, reign.p99Ms].map(rounded),
        null,
        null,
      ]),
    ]),
  };
}

const rounded = (value: number): number | null => (Number.isFinite(value) ? Number(value.toFixed(3)) : null);

export function jsonOf({ advice, notes, checks, configurations, command }: AdviceReport) {
  const { question, ranking, best, advised, order, now, strains, sureness } = advice;
  const candidate = ({ placement, evaluation }: Candidate) => ({ placement, best: evaluation.best });
  return {
    format: "polebench advice 1",
    question,
    placement: best.placement,
    rule: advised.rule,
    preference: order.map((server) => ({ server, site: siteOf(best, server) })),
    advised,
    answer: answerOf(advice),
    now: now === null ? null : { placement: now.placement, outlook: now.outlook },
    sureness,
    outlooks: best.evaluation.outlooks,
    reigns: best.evaluation.reigns,
    ranking: ranking.slice(0, KEPT).map(candidate),
    placements: ranking.length,
    strains,
    checks,
    configurations,
    notes,
    command,
  };
}

const SHOWN = 20;
const KEPT = 100;
