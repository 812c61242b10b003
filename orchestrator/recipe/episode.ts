/** One trouble and what came of it: the stages of the handover, what it cost, and what it should cost. */

import type { Arena } from "./arena.ts";
import { consensusAt, toLeader } from "./distance.ts";
import type { Counted, Seen } from "./member-line.ts";
import { type Contest, rootOf, type Trouble } from "./plan.ts";
import { type Costs, costsOf } from "./theory.ts";
import { shareOf, spansOf } from "./timeline.ts";
import type { Blow } from "./troubles.ts";
import type { ServerId } from "#node/core/identity.ts";

export interface Episode {
  /** Of the contest. */
  readonly recipe: string;
  readonly trouble: Trouble;
  readonly from: string;
  /** Who led next; null: the same went on, or led again. */
  readonly to: string | null;
  /** Milliseconds after the trouble; null where there is no such stage. */
  readonly stages: Stages;
  /** Milliseconds in which nobody acted as leader, and in which several did. */
  readonly nobody: number;
  readonly several: number;
  /** From the end of the old session, as the service took it, until the next acted. */
  readonly sinceEnd: number | null;
  /** Counted at the servers, of this election alone. */
  readonly counts: Counts;
  /** By the formulas, where one leader dies and nothing else. */
  readonly theory: Costs | null;
}

export interface Stages {
  readonly sessionEnd: number | null;
  /** Its server told the elector, or where there is none who comes next. */
  readonly noticed: number | null;
  /** The elector's server got what it decided. */
  readonly evaluated: number | null;
  readonly elected: number | null;
  readonly claimed: number | null;
  /** The candidate begins to take over. */
  readonly takesOver: number | null;
  readonly ready: number | null;
  readonly acts: number | null;
}

export interface Counts {
  readonly notifications: number;
  readonly lists: number;
  readonly reads: number;
  readonly writes: number;
}

/** Who stood, and how, when the trouble came. */
export interface Before {
  readonly contest: Contest;
  readonly trouble: Trouble;
  readonly leader: { readonly id: string; readonly site: string };
  /** Who elects when the leader is gone. */
  readonly elector: { readonly id: string; readonly site: string };
  /** The leader came first, or last. */
  readonly isAtAnEnd: boolean;
  readonly ensembleLeader: ServerId;
}

/** They end one session and leave everything else as it is. */
const ONE_DIES: ReadonlySet<Trouble> = new Set(["kill", "leave", "hang", "expire"]);
/** A member's frame is counted before what it comes of is seen. */
const EARLY_MS = 5;

export function episodeOf(arena: Arena, before: Before, blow: Blow): Episode {
  const { contest, trouble, leader } = before;
  const { since, next, until } = blow;
  const seen = arena.seen.filter(({ path, at }) => at >= since && at <= until && isBelow(path, contest));
  const stages = stagesOf(arena, before, blow, seen);
  const { nobody, several } = shareOf(spansOf(arena.heard, until), since, until);
  const gone = arena.addressOf(leader.id);
  const begin = since + (stages.sessionEnd ?? 0) - EARLY_MS;
  return {
    recipe: contest.name,
    trouble,
    from: leader.id,
    to: next?.member ?? null,
    stages,
    nobody,
    several,
    sinceEnd: stages.sessionEnd === null || next === null ? null : next.at - since - stages.sessionEnd,
    counts: countsOf(
      // Of those who are left.
      arena.counted.filter(
        ({ path, at, of }) => at >= begin && at <= until && of !== gone && isBelow(path, contest),
      ),
    ),
    theory: ONE_DIES.has(trouble) && next !== null ? theoryOf(arena, before, next.member) : null,
  };
}

const isBelow = (path: string, contest: Contest): boolean =>
  path === rootOf(contest) || path.startsWith(`${rootOf(contest)}/`);

function stagesOf(arena: Arena, before: Before, { since, next }: Blow, seen: readonly Seen[]): Stages {
  const { contest, elector } = before;
  const isPriority = contest.name === "priority";
  const when = (what: (each: Seen) => boolean): number | null => {
    const at = seen.find(what)?.at;
    return at === undefined ? null : at - since;
  };
  const first = (suffix: string, is: string): number | null =>
    when(({ path, kind }) => path.endsWith(suffix) && kind === is);
  // Who gives its place up, or is put out, stands on.
  const standing = isPriority ? `${rootOf(contest)}/election/` : `${rootOf(contest)}/`;
  const sessionEnd = when(({ path, kind }) => path.startsWith(standing) && kind === "deleted");
  const notBefore = since + (sessionEnd ?? 0) - EARLY_MS;
  const hearer = isPriority ? elector.id : next?.member;
  const frame = (what: string): number | null => {
    if (sessionEnd === null || hearer === undefined) return null;
    const of = arena.addressOf(hearer);
    const found = arena.counted.find(
      (each) => each.what === what && each.of === of && each.at >= notBefore && isBelow(each.path, contest),
    );
    return found === undefined ? null : found.at - since;
  };
  const takesOver = arena.heard.find(
    ({ kind, member, at }) => kind === "takes over" && member === next?.member && at >= since,
  );
  return {
    sessionEnd,
    noticed: frame("notification"),
    evaluated: isPriority ? frame("multi") : null,
    elected: first("/leader/elected", "dataChanged"),
    claimed: first("/leader/current", "created"),
    takesOver: takesOver === undefined ? null : takesOver.at - since,
    ready: first("/leader/last", "dataChanged"),
    acts: next === null ? null : next.at - since,
  };
}

function countsOf(counted: readonly Counted[]): Counts {
  const of = (...kinds: readonly string[]): number =>
    counted.filter(({ what }) => kinds.includes(what)).length;
  return {
    notifications: of("notification"),
    lists: of("getChildren"),
    reads: of("getData", "exists", "multiRead", "sync"),
    writes: of("create", "delete", "setData", "multi"),
  };
}

function theoryOf(arena: Arena, before: Before, next: string): Costs {
  const { topology } = arena.plan.service;
  const { members, takeover, watching } = arena.plan;
  const { contest, elector, isAtAnEnd, ensembleLeader } = before;
  const site = members.find(({ id }) => id === next)?.site ?? "";
  return costsOf({
    recipe: contest.recipes[0],
    watching,
    survivors: members.length - 1,
    isAtAnEnd,
    elector: toLeader(topology, elector.site, ensembleLeader),
    candidate: toLeader(topology, site, ensembleLeader),
    consensus: consensusAt(topology, ensembleLeader),
    takeover,
  });
}
