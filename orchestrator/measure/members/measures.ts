/**
 * What is measured of an election by itself: how long it took after each disturbance until the new leader
 * was known, how long and how often members differed, and what was sent for it.
 */

import { groupEntryOf } from "../../plan/plan.ts";
import type { ElectionRecording, MemberEvent } from "../../recording/recording.ts";
import { type Agreement, agreements, Beliefs, whatHappened } from "./beliefs.ts";

/** The common beginning, or a fault: what an election has to settle. */
export interface Disturbance {
  /** Since the beginning. */
  readonly atMs: number;
  readonly what: string;
  /** Until all that live follow one that lives; null when that never came before the next. */
  readonly agreedMs: number | null;
  /** Whom. */
  readonly leader: number | null;
  /**
   * Until the last had heard the greatest that lives; null when that never came before the next, or when the
   * election promises nobody in particular.
   */
  readonly latchedMs: number | null;
}

export interface ElectionMeasures {
  /** The beginning is the first. */
  readonly disturbances: readonly Disturbance[];
  readonly agreements: readonly Agreement[];
  readonly disagreement: {
    readonly ms: number;
    /** Of the whole run. */
    readonly share: number;
    /** Agreements that ended though nothing had been done to anybody. */
    readonly falseAlarms: number;
  };
  /** Announcements, one however many hear it. */
  readonly messages: {
    readonly sent: number;
    readonly perSecond: number;
    /** Until those that began together had spoken or been silenced. */
    readonly firstRound: number;
    /** Until the last had heard the leader for the first time: the greatest, where that is who leads. */
    readonly untilLatched: number | null;
    readonly kinds: Readonly<Record<string, number>>;
  };
  readonly end: {
    /** Whom each that lives follows in the end. */
    readonly leaders: ReadonlyMap<number, number>;
    readonly agreed: number | null;
    /** How long they have differed by then. */
    readonly differingMs: number;
  };
}

export function measureElection(recording: ElectionRecording): ElectionMeasures {
  const { plan, events, marks, counts } = recording;
  const { name } = plan.subject.election;
  const entry = groupEntryOf(name);
  const whole = wholeOf(recording);
  const agreed = agreements(recording, whole);
  const beginning = { at: 0, what: "the beginning" };
  const causes = [beginning, ...marks.map(({ at, fault }) => ({ at, what: fault }))];
  const disturbances = causes.map(({ at, what }, index): Disturbance => {
    const next = causes[index + 1]?.at ?? whole;
    const first = agreed.find(({ from, to }) => to > at && from < next);
    return {
      atMs: at / 1e3,
      what,
      agreedMs: first === undefined ? null : Math.max(0, first.from - at) / 1e3,
      leader: first?.leader ?? null,
      latchedMs: entry.promises === "the greatest" ? latchedMs(recording, at, next) : null,
    };
  });
  const announced = events.filter(({ event, at }) => event === "announced" && at <= whole);
  const until = (at: number): number => announced.filter((told) => told.at <= at).length;
  const [first] = disturbances;
  const latched = (entry.promises === "the greatest" ? first?.latchedMs : first?.agreedMs) ?? null;
  const agreeing = agreed.reduce((sum, { from, to }) => sum + to - from, 0);
  const last = agreed.at(-1);
  const beliefs = told(events);
  return {
    disturbances,
    agreements: agreed,
    disagreement: {
      ms: (whole - agreeing) / 1e3,
      share: whole === 0 ? 0 : (whole - agreeing) / whole,
      falseAlarms: agreed.filter(({ to }) => to < whole && marks.every(({ at }) => at !== to)).length,
    },
    messages: {
      sent: announced.length,
      perSecond: whole === 0 ? 0 : (announced.length * 1e6) / whole,
      firstRound: until(firstRoundOf(plan)),
      untilLatched: latched === null ? null : until(latched * 1e3),
      kinds: counts.sent,
    },
    end: {
      leaders: beliefs.leaders,
      agreed: beliefs.agreed,
      differingMs: beliefs.agreed === null ? (whole - (last?.to ?? 0)) / 1e3 : 0,
    },
  };
}

/** Real members speak a little later than they are to; nobody repeats itself before T_A. */
function firstRoundOf({ runtime, subject: { election } }: ElectionRecording["plan"]): number {
  const end = groupEntryOf(election.name).firstRound(election.options);
  const { announce } = election.options;
  const isNext = runtime !== "sim" && typeof announce === "number" && announce > end;
  return isNext ? (end + announce) / 2 : end;
}

/** Of an interrupted run, what there is of it. */
export const wholeOf = ({ plan, interrupted, events, marks }: ElectionRecording): number =>
  interrupted ? Math.max(0, events.at(-1)?.at ?? 0, marks.at(-1)?.at ?? 0) : plan.duration;

function told(events: readonly MemberEvent[]): Beliefs {
  const beliefs = new Beliefs();
  for (const event of events) beliefs.see(event);
  return beliefs;
}

/** Who follows the greatest has heard it. Of one moment, what is done to members comes first. */
function latchedMs(recording: ElectionRecording, since: number, before: number): number | null {
  const beliefs = new Beliefs();
  const heard = new Set<number>();
  let at = since;
  let heardOf = 0;
  const isLatched = (): boolean => {
    const greatest = Math.max(...beliefs.leaders.keys());
    if (greatest !== heardOf) heard.clear();
    heardOf = greatest;
    for (const [member, leader] of beliefs.leaders) {
      if (leader === greatest) heard.add(member);
    }
    if (!beliefs.isComplete) return false;
    return beliefs.leaders.size > 0 && [...beliefs.leaders.keys()].every((member) => heard.has(member));
  };
  for (const event of whatHappened(recording)) {
    if (event.at >= before) break;
    if (event.at > since && event.at > at) {
      if (isLatched()) return (at - since) / 1e3;
      at = event.at;
    }
    beliefs.meet(event);
  }
  return isLatched() ? (at - since) / 1e3 : null;
}
