/**
 * The answer: every placement by the model, the best by the goal, who should decide there about the leader,
 * what that gains over what there is now, and how sure all this is.
 */

import type { ServerId } from "#node/core/identity.ts";
import type { Topology } from "../topology/topology.ts";
import { better, evaluate, type Evaluation, type Outlook, valueOf } from "./evaluate.ts";
import { orderOf } from "./order.ts";
import { type Placement, placed } from "./placements.ts";
import { BLIND, type Goal, LISTED, type AdviceQuestion, type Rule } from "./question.ts";
import { strains, type Strain, sureness, type Sureness } from "./sensitivity.ts";

export interface Candidate {
  readonly placement: Placement;
  readonly evaluation: Evaluation;
}

/** What there is today. */
export interface Now extends Candidate {
  /** Under the leader that was named, or whoever it is. */
  readonly outlook: Outlook;
}

export interface Advice {
  readonly question: AdviceQuestion;
  readonly topology: Topology;
  /** The best first. */
  readonly ranking: readonly Candidate[];
  readonly best: Candidate;
  /** Who should decide: an oracle, where one does as well as a list does. */
  readonly advised: Outlook;
  /** The list, best first. */
  readonly order: readonly ServerId[];
  readonly now: Now | null;
  readonly strains: readonly Strain[];
  readonly sureness: Sureness;
}

export interface Today {
  readonly placement: Placement;
  /** The site of the leader, where it is known. */
  readonly leaderAt: string | null;
}

/** The best first; those that survive what may be lost, unless one or two servers cannot. */
export function ranked(
  topology: Topology,
  question: AdviceQuestion,
  placements: Iterable<Placement>,
): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const placement of placements) {
    const evaluation = evaluate(placed(topology, placement), question);
    candidates.push({ placement, evaluation });
  }
  const survivors = candidates.filter(({ evaluation }) => Number.isFinite(evaluation.best.outageMs));
  const mayFail = question.lose === "server" && question.goal !== "outage" && survivors.length === 0;
  return (mayFail ? candidates : survivors).sort((a, b) =>
    better(question.goal, a.evaluation.best, b.evaluation.best),
  );
}

/** Null when no placement survives what may be lost, or nobody could be placed. */
export function advise(
  topology: Topology,
  question: AdviceQuestion,
  placements: Iterable<Placement>,
  today: Today | null,
): Advice | null {
  const ranking = ranked(topology, question, placements);
  const [best] = ranking;
  if (best === undefined) return null;
  const now = today === null ? null : nowOf(topology, question, today);
  const first = ranking.slice(0, RIVALS).map(({ placement }) => placement);
  const contest = { topology, question, advised: best.evaluation.best, rivals: first };
  return {
    question,
    topology,
    ranking,
    best,
    advised: advisedOf(best.evaluation, question),
    order: orderOf(best.evaluation, question),
    now,
    strains: strains(contest),
    sureness: sureness(contest),
  };
}

/**
 * An oracle follows the load and the distances of the day; so it is to be preferred where it does as well.
 */
export function advisedOf({ outlooks, best }: Evaluation, { goal }: AdviceQuestion): Outlook {
  const [oracle] = outlooks
    .filter(({ rule }) => rule !== LISTED && !BLIND.includes(rule))
    // Where several do as well, the one that looks at what is asked for.
    .sort((a, b) => better(goal, a, b) || Number(b.rule === MEANT[goal]) - Number(a.rule === MEANT[goal]));
  if (oracle === undefined) return best;
  return valueOf(goal, oracle) <= AS_WELL * valueOf(goal, best) ? oracle : best;
}

function nowOf(topology: Topology, question: AdviceQuestion, { placement, leaderAt }: Today): Now {
  const evaluation = evaluate(placed(topology, placement), question);
  const led = evaluation.reigns.find(({ site }) => site === leaderAt);
  const anybody = evaluation.outlooks.find(({ leader }) => leader === null) ?? evaluation.best;
  if (led === undefined) return { placement, evaluation, outlook: anybody };
  const [next] = [...led.successors].sort((a, b) => b.outageMs - a.outageMs);
  const outlook: Outlook = {
    ...anybody,
    leader: led.server,
    successor: next?.server ?? null,
    meanMs: led.meanMs,
    worstMs: led.worstMs,
    p99Ms: led.p99Ms,
  };
  return { placement, evaluation, outlook };
}

const MEANT: Readonly<Record<Goal, Rule>> = {
  mean: "latency",
  worst: "worst-case",
  p99: "latency",
  outage: "latency",
};
const AS_WELL = 1.01;
/** So many of the first are held against each other when distances change. */
const RIVALS = 20;
