/** The page of one run: first whether it counts, then what it shows, then how it was made. */

import type { ServiceConclusion } from "../measure/conclude.ts";
import type { Measures } from "../measure/measures.ts";
import { PHASES } from "../measure/latency.ts";
import type { KeptAttempt } from "../recording/attempts.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import { printTimedFault } from "../fault/words.ts";
import { armOf, type ServicePlan } from "../plan/plan.ts";
import { ringOf, tellElection } from "../plan/election-plan.ts";
import { printPlan } from "../plan/plan-text.ts";
import { printBound, printMs, printNumber } from "./chart/style.ts";
import { type Statistics, STATISTICS } from "../statistics/summary.ts";
import { siteMap } from "./page/map.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { badge, type DrawnFigure, page, paragraph, pictured, type Section } from "./page/page.ts";
import { resourceUse } from "./page/resources.ts";
import { scoreTable, story } from "./page/story.ts";
import { fidelity } from "./page/fidelity.ts";
import { trafficTable } from "./page/traffic.ts";
import { verdicts } from "./page/verdicts.ts";
import { SYSTEMS } from "../system/catalog.ts";
import { tellTour } from "../topology/tour.ts";

export interface RunReport extends ServiceConclusion {
  readonly figures: readonly DrawnFigure[];
  /** That came before and are no result. */
  readonly attempts: readonly KeptAttempt[];
}

/** In words for people: what runs, where, in a line. */
export function conditions({ topology, subject, runtime, seed }: ServicePlan): string {
  const { oracle, election, system, workload } = subject;
  const { elects, title } = SYSTEMS[system];
  const chosen = elects === "by oracle" ? tellElection(election) : "";
  const what =
    elects === "by oracle"
      ? [`oracle ${oracle.name}`, ...(chosen === "" ? [] : [chosen])].join(", ")
      : `${title}'s own election`;
  const where = runtime === "sim" ? "virtual time" : runtime;
  return `${topology.name}, ${what}, ${workload.ratePerSecond} writes/s, ${where}, seed ${seed}`;
}

/** What happened, as one sentence. */
export function headline({ plan }: ServiceRecording, { leaders, outage, latencies }: Measures): string {
  const [before, after] = [latencies.overall.before.latency, latencies.overall.after.latency];
  const mean = (of: Statistics | null): string => printBound(of, "mean", 1) || "no";
  const first = `${mean(before)} ms a write under p${leaders.before ?? "?"}`;
  if (plan.faults.length === 0) return first;
  const second = `${mean(after)} ms under p${leaders.after ?? "?"}`;
  const between = outage === null ? "never served again" : `${outage.ms.toFixed(0)} ms without service`;
  return `${first}, ${between}, ${second}`;
}

export function runPage(report: RunReport): string {
  const { recording, measures, verdict, attempts } = report;
  const { plan } = recording;
  const title = `${plan.topology.name}, ${armOf(plan)}: ${headline(recording, measures)}`;
  const lead = html`<p>${badge(verdict.judgement)} ${conditions(plan)}. Faults:
${plan.faults.length === 0 ? "none" : plan.faults.map(printTimedFault).join(", ")}.
${byHand(recording)} ${recording.interrupted ? "Interrupted: this is not all." : ""}
<a href="replay.html">Watch it again</a>; polebench replay makes that page.
${attempts.length === 0 ? "" : `Attempt ${attempts.length + 1}: ${attempts.map(told).join("; ")}.`}</p>`;
  const drawn = new Map(report.figures.map((one) => [one.figure.name, one]));
  const show = (...names: readonly string[]): Markup[] =>
    names.flatMap((name) => {
      const one = drawn.get(name);
      return one === undefined ? [] : [pictured(one)];
    });
  const map = siteMap(plan.topology, measures.leaders);
  return page(title, lead, [
    verdicts(report),
    ...(map === null ? [] : [{ title: "Where", content: [map] }]),
    {
      title: "Latency",
      content: [...show("latency-timeline"), latencyTable(measures), ...show("latency-distribution")],
    },
    ...(plan.faults.length === 0
      ? []
      : [
          {
            title: "The fault",
            content: [...siteOutages(measures), ...stalls(measures), ...show(...FAULT_FIGURES)],
          },
          election(recording, measures),
        ]),
    fidelity(recording),
    making(recording, measures),
  ]);
}

const told = ({ name, judgement, reason }: KeptAttempt): string => `${name} was ${judgement}, ${reason}`;

/** What was not planned is said. */
function byHand({ marks }: ServiceRecording): string {
  const struck = marks.filter((mark) => mark.byHand === true).length;
  return struck === 0 ? "" : `${struck} of them by hand, while it ran.`;
}

function latencyTable({ latencies, physics }: Measures): Markup {
  const modelled = { before: physics.before, during: null, after: physics.after };
  const rows = [["all", latencies.overall] as const, ...Object.entries(latencies.sites)].flatMap(
    ([site, byPhase]) =>
      PHASES.flatMap((phase) => {
        const { latency, acknowledged, failed, unknown } = byPhase[phase];
        if (latency === null && failed + unknown === 0) return [];
        const model = site === "all" ? modelled[phase] : (modelled[phase]?.sites[site] ?? null);
        return [
          [
            `${site}, ${phase}`,
            acknowledged,
            failed,
            unknown,
            ...STATISTICS.map((name) => printBound(latency, name, 2)),
            model?.modelMs.toFixed(2) ?? "",
            model === null ? "" : `${model.aboveMs >= 0 ? "+" : ""}${model.aboveMs.toFixed(2)}`,
          ],
        ];
      }),
  );
  const columns = ["ms", "ok", "failed", "unknown", ...STATISTICS, "physics", "above it"];
  return table(columns, rows);
}

/** The first site to be served ends the outage; the last one may wait much longer. */
function siteOutages({ outage }: Measures): readonly Markup[] {
  if (outage === null) return [];
  const rows = Object.entries(outage.sites).sort(([, a], [, b]) => a - b);
  return [
    table(
      ["site", "served again after"],
      rows.map(([site, ms]) => [site, printMs(ms)]),
    ),
  ];
}

/** Who was due when the service was back should not have noticed that it had been away. */
function stalls({ stall }: Measures): readonly Markup[] {
  if (stall === null) return [];
  const { ms, slowest, requests } = stall;
  const who =
    slowest === null
      ? ""
      : `; it was due ${printNumber(slowest.intended / 1e6)} s after the load began, at p${slowest.server}`;
  const text = `Of ${requests} requests that were due when their server was back, the slowest took`;
  return [paragraph(`${text} ${printMs(ms)} longer than is usual at its site${who}.`)];
}

function election(recording: ServiceRecording, { recovery, traffic, election: held }: Measures): Section {
  const scores = held === null ? null : scoreTable(held);
  const told = story(recording);
  const followers = recovery?.followers ?? [];
  const bytes = recovery?.pulledBytes ?? 0;
  const pulled = bytes === 0 ? "" : `, after the leader had pulled ${bytes} bytes`;
  return {
    title: "The election and the recovery",
    content: [
      ...tour(recording.plan),
      ...(scores === null ? [] : [paragraph("The scores of the round that found the next leader:"), scores]),
      ...predicted(recovery, held),
      ...(followers.length === 0
        ? []
        : [
            paragraph(`How the followers were brought level${pulled}:`),
            table(
              ["follower", "by", "bytes", "level after"],
              followers.map(({ server, how, bytes, doneMs }) => [`p${server}`, how, bytes, printMs(doneMs)]),
            ),
          ]),
      ...trafficTable(traffic),
      ...(told === null
        ? []
        : [html`<details><summary>What every replica told, in order</summary>${told}</details>`]),
    ],
  };
}

/** What the oracle predicted of the leader's recovery, where it did, beside what that took. */
function predicted(recovery: Measures["recovery"], held: Measures["election"]): readonly Markup[] {
  const why = held?.candidates.find(({ server }) => server === recovery?.leader)?.why ?? {};
  const { recoveryMs, promisesMs, pullMs, levelMs, commitMs } = why;
  if (recovery === null || recovery.paperMs === null || recoveryMs === undefined) return [];
  const { discovered, pulled, synchronized, "first commit": commit } = recovery.stages;
  const stages = [
    ["a quorum's promises", promisesMs, discovered],
    ["history to fetch", pullMs, pulled],
    ["a quorum brought level", levelMs, synchronized],
    ["a first write committed", commitMs, commit],
    ["in all, from knowing itself elected", recoveryMs, recovery.paperMs],
  ] as const;
  return [
    paragraph(`How long p${recovery.leader} was to take, by its oracle, and took:`),
    table(
      ["", "predicted", "measured"],
      stages.map(([what, asked = 0, found]) => [what, printMs(asked), printMs(found)]),
    ),
  ];
}

/** Of a ring its order decides how long an election takes. */
function tour({ topology, subject: { system, election: choice } }: ServicePlan): readonly Markup[] {
  const ring = SYSTEMS[system].elects === "by oracle" ? ringOf(choice, topology.servers.keys()) : null;
  return ring === null ? [] : [paragraph(tellTour(topology, ring))];
}

function making(
  { plan, environment, resources, machine }: ServiceRecording,
  { lateness }: Measures,
): Section {
  return {
    title: "How it was made",
    content: [
      html`<pre>${environment.command}</pre>`,
      table(
        ["", ""],
        Object.entries(environment).filter(([name]) => name !== "command"),
        "text",
      ),
      ...(machine === null
        ? []
        : [
            paragraph(
              `Just before, a log was safe in ${printMs(machine.syncMs)}, and a killed process of a ` +
                `server's size was gone in ${printMs(machine.exitMs)}.`,
            ),
          ]),
      ...resourceUse(resources, plan, lateness),
      html`<details><summary>The whole plan</summary><pre>${printPlan(plan)}</pre></details>`,
    ],
  };
}

const FAULT_FIGURES = ["fault-throughput", "fault-latency", "recovery", "server-recovery"] as const;
