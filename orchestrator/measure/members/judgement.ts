/**
 * Is a run of an election by itself a result? Nobody writes, so it is judged by what elections promise: that
 * in the end all follow one, and whom. What was not seen is unknown, and never a success.
 */

import { type Finding, finding, type Verdict, verdict } from "../../check/verdict.ts";
import { groupEntryOf } from "../../plan/plan.ts";
import type { ElectionRecording } from "../../recording/recording.ts";
import { fidelity } from "../judgement.ts";
import type { ElectionMeasures } from "./measures.ts";

export function judgeElection(recording: ElectionRecording, measures: ElectionMeasures): Verdict {
  const findings = [
    allBegan(recording),
    oneLeader(measures),
    ...promisedLeads(recording, measures),
    counted(recording),
    ...fidelity(recording).filter(({ operations }) => operations > 0),
  ];
  return verdict(recording.interrupted ? [...findings.map(open), INTERRUPTED] : findings);
}

function allBegan({ plan, events }: ElectionRecording): Finding {
  const begun = new Set(events.flatMap(({ event, member }) => (event === "begun" ? [member] : [])));
  const missing = plan.subject.initiators.filter((member) => !begun.has(member));
  return seen("all began that were to", begun.size, told(missing, "never began"));
}

/**
 * One that lives, followed by all that live. Loss may always part them again for a while, so who differ in
 * the end are wrong only when it has lasted longer than all earlier agreements took to come about.
 */
function oneLeader({ end, disturbances, agreements }: ElectionMeasures): Finding {
  const property = "all that live follow one that lives, in the end";
  const living = end.leaders.size;
  if (end.agreed !== null || living === 0) return seen(property, living, []);
  const last = disturbances.at(-1);
  const took = [
    ...disturbances.map(({ agreedMs }) => agreedMs ?? 0),
    ...agreements.slice(1).map(({ from }, index) => (from - (agreements[index]?.to ?? from)) / 1e3),
  ];
  const longest = Math.max(...took);
  const differing = end.differingMs.toFixed(0);
  if (last?.agreedMs !== null && last !== undefined && end.differingMs <= longest) {
    const reason = `they have differed for ${differing} ms; that took up to ${longest.toFixed(0)} ms before`;
    return { property, judgement: "unknown", operations: living, reasons: [reason] };
  }
  const followers = Map.groupBy(end.leaders, ([, leader]) => leader);
  const camps = [...followers].sort(([, a], [, b]) => b.length - a.length);
  return seen(
    property,
    living,
    camps.map(([leader, { length }]) => {
      const state = end.leaders.has(leader) ? "" : ", which does not live";
      return `${length} of ${living} follow ${leader}${state}`;
    }),
  );
}

function promisedLeads({ plan }: ElectionRecording, { end }: ElectionMeasures): readonly Finding[] {
  const { promises } = groupEntryOf(plan.subject.election.name);
  if (promises === "one of them") return [];
  const property = `${promises} that lives leads, in the end`;
  const { agreed, leaders } = end;
  // Who differ are told of by another property.
  if (agreed === null) return [seen(property, 0, [])];
  const choose = promises === "the greatest" ? Math.max : Math.min;
  const promised = choose(...leaders.keys());
  return [seen(property, leaders.size, agreed === promised ? [] : [`${agreed} leads, ${promised} lives`])];
}

/** A recording that lacks announcements would measure too few. */
function counted({ counts, events }: ElectionRecording): Finding {
  const recorded = events.filter(({ event }) => event === "announced").length;
  const sent = Object.values(counts.sent).reduce((sum, count) => sum + count, 0);
  const wrong = sent === recorded ? [] : [`hosts counted ${sent}, ${recorded} were recorded`];
  return seen("what was announced is what hosts counted", Math.max(sent, recorded), wrong);
}

function seen(property: string, looked: number, wrong: readonly string[]): Finding {
  if (looked > 0) return finding(property, looked, wrong);
  return { property, judgement: "unknown", operations: 0, reasons: ["nothing was seen of it"] };
}

/** What was seen stays true; what was not seen yet proves nothing. */
const open = (one: Finding): Finding =>
  one.judgement === "invalid"
    ? { ...one, judgement: "unknown", reasons: ["interrupted before it could be seen"] }
    : one;

const INTERRUPTED: Finding = {
  property: "the run is whole",
  judgement: "unknown",
  operations: 0,
  reasons: ["the run was interrupted"],
};

const told = (members: readonly number[], what: string): readonly string[] =>
  members.map((member) => `member ${member} ${what}`);
