/** The page of an election by itself: whether it counts, what it took, what was sent, how it was made. */

import type { ElectionConclusion } from "../measure/conclude.ts";
import type { ElectionMeasures } from "../measure/members/measures.ts";
import type { ElectionPlan } from "../plan/plan.ts";
import { groupEntryOf } from "../plan/plan.ts";
import { printPlan } from "../plan/plan-text.ts";
import { printOption } from "#node/election/options.ts";
import { printTimedFault } from "../fault/words.ts";
import type { ElectionRecording, MemberEvent } from "../recording/recording.ts";
import { printMs, printNumber } from "./chart/style.ts";
import { html, type Markup, table } from "./page/markup.ts";
import type { MulticastLoss } from "../topology/topology.ts";
import { told as toldOf } from "./page/fidelity.ts";
import { badge, type DrawnFigure, page, paragraph, pictured, type Section } from "./page/page.ts";
import { verdicts } from "./page/verdicts.ts";

export interface ElectionReport extends ElectionConclusion {
  readonly figures: readonly DrawnFigure[];
}

/** In words for people: what runs, where, in a line. */
export function electionConditions({ topology, subject, runtime, seed }: ElectionPlan): string {
  const { members, election } = subject;
  const sites = [...new Set(members.map(({ site }) => site))];
  const losses = [...new Set(sites.flatMap((from) => sites.map((to) => topology.link(from, to).loss)))];
  const range = losses.sort((a, b) => a - b).map((loss) => `${printNumber(100 * loss)} %`);
  const loss = losses.every((one) => one === 0)
    ? "no loss"
    : `loss ${range.join(" to ")} ${sharing(topology.multicastLoss)}`;
  const where = runtime === "sim" ? "virtual time" : runtime;
  return `${topology.name}, ${election.name} of ${members.length}, ${loss}, ${where}, seed ${seed}`;
}

function sharing(loss: MulticastLoss): string {
  if (typeof loss === "number") return `of each, ${printNumber(100 * loss)} % shared by all`;
  return loss === "shared" ? "shared by all" : "of each by itself";
}

export function electionPage(report: ElectionReport): string {
  const { recording, measures, verdict, figures } = report;
  const { plan, interrupted } = recording;
  const { end, disturbances } = measures;
  const who = end.agreed === null ? "members differ in the end" : `${end.agreed} leads`;
  const first = disturbances[0]?.agreedMs ?? null;
  const title = `${plan.topology.name}, ${plan.subject.election.name}: ${who}; agreed in ${printMs(first)}`;
  const lead = html`<p>${badge(verdict.judgement)} ${electionConditions(plan)}. ${optionsOf(plan)}. Faults:
${plan.faults.length === 0 ? "none" : plan.faults.map(printTimedFault).join(", ")}.
${interrupted ? "Interrupted: this is not all." : ""}</p>`;
  return page(title, lead, [
    verdicts(report),
    { title: "The election", content: [settled(measures), ...figures.map(pictured), differed(measures)] },
    { title: "What was sent", content: sent(recording, measures) },
    ...network(recording),
    making(recording),
  ]);
}

function optionsOf({ subject: { election } }: ElectionPlan): string {
  const { options } = groupEntryOf(election.name);
  const said = Object.entries(options).map(([name, option]) => {
    const value = election.options[name] ?? option.default;
    return `${option.sentence}: ${printOption(option, value)}`;
  });
  return said.join("; ");
}

const settled = ({ disturbances }: ElectionMeasures): Markup =>
  table(
    ["since", "at", "all that live follow one", "whom", "the last had heard the greatest"],
    disturbances.map(({ what, atMs, agreedMs, leader, latchedMs }) => [
      what,
      `${printNumber(atMs / 1e3)} s`,
      agreedMs === null ? "never" : printMs(agreedMs),
      leader === null ? "" : String(leader),
      latchedMs === null ? "never" : printMs(latchedMs),
    ]),
    "text",
  );

function differed({ disagreement: { ms, share, falseAlarms } }: ElectionMeasures): Markup {
  const alarms =
    falseAlarms === 0 ? "" : ` They parted ${falseAlarms} times though nothing had been done to anybody.`;
  return paragraph(
    `For ${printMs(ms)}, ${printNumber(100 * share)} % of the time, not all that live followed one that ` +
      `lives.${alarms}`,
  );
}

function sent({ counts }: ElectionRecording, { messages }: ElectionMeasures): readonly Markup[] {
  const rows = Object.entries(counts.sent).map(([kind, count]) => [kind, count, counts.given[kind] ?? 0]);
  const { lost, overflown, carried } = counts;
  const loss =
    lost === null
      ? ""
      : ` Of what listeners were to get, ${lost.shared} were lost for all at once ` +
        `and ${lost.independent} for one alone.`;
  const full =
    overflown === null || overflown === 0
      ? ""
      : ` ${overflown} datagrams found a listener's buffer full, and are lost.`;
  const late =
    carried === null
      ? ""
      : ` The emulated network delivered ${carried.packets} packets, ${carried.late} of them over 1 ms late` +
        (carried.veryLate === undefined ? "." : `, ${carried.veryLate} over 2 ms.`);
  const latched =
    messages.untilLatched === null ? "" : `, ${messages.untilLatched} until the last had heard it`;
  return [
    table(["kind", "sent", "reached a listener"], rows),
    paragraph(
      `${messages.firstRound} in the first round${latched}; ` +
        `${printNumber(messages.perSecond)} a second over the whole run.${loss}${full}${late}`,
    ),
  ];
}

/** Virtual time has no network to measure. */
function network({ certificates: { idle } }: ElectionRecording): readonly Section[] {
  if (idle === null) return [];
  return [{ title: "Was the network what it was said to be?", content: toldOf("Before the election", idle) }];
}

function making(recording: ElectionRecording): Section {
  const { plan, environment } = recording;
  return {
    title: "How it was made",
    content: [
      html`<pre>${environment.command}</pre>`,
      table(
        ["", ""],
        Object.entries(environment).filter(([name]) => name !== "command"),
        "text",
      ),
      story(recording),
      html`<details><summary>The whole plan</summary><pre>${printPlan(plan)}</pre></details>`,
    ],
  };
}

/** What members did and came to believe, in order; of large groups the beginning. */
function story({ events }: ElectionRecording): Markup {
  const rows = events
    .slice(0, MOST_LINES)
    .map((told) => [`${(told.at / 1e3).toFixed(1)} ms`, String(told.member), sentence(told)]);
  const more = events.length > rows.length ? `, the first ${rows.length} of ${events.length}` : "";
  return html`<details><summary>What every member told, in order${more}</summary>
${table(["at", "member", "what"], rows, "text")}</details>`;
}

function sentence(told: MemberEvent): string {
  switch (told.event) {
    case "begun":
      return "begins";
    case "ended":
      return "ends in silence";
    case "announced":
      return `sends to all: ${told.kind}`;
    case "elected":
      return told.leader === told.member ? "takes itself for the leader" : `follows ${told.leader}`;
    case "observed": {
      const { at: _at, member: _member, event: _event, name, ...facts } = told;
      const said = Object.entries(facts).map(([fact, value]) => `${fact} ${JSON.stringify(value)}`);
      return [name, ...said].join(", ");
    }
  }
}

const MOST_LINES = 2000;
