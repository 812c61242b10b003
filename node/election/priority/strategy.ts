/**
 * Whom does the elector choose, of those who may be chosen? A strategy is a pure function of what the elector
 * has read. It is asked when nobody leads; one that `preempts` also while somebody does, and then names the
 * leader to keep it.
 */

import type { Former } from "./layout.ts";

/** One who stands and may lead, in the order in which they came. */
export interface Candidate extends Former {
  /** Its znode below `election`. */
  readonly member: string;
  /** Greater is better. */
  readonly score: number;
}

export interface Choice {
  /** Never empty. */
  readonly candidates: readonly Candidate[];
  /** Who was ready last; null: nobody ever. */
  readonly previous: Former | null;
  /** Who leads, if it may go on. */
  readonly leader: Candidate | null;
}

export interface Strategy {
  readonly preempts: boolean;
  /** One of the candidates, by its `member`. */
  choose(choice: Choice): string;
}

const byId = (a: Former, b: Former): number => compareIds(a.id, b.id);

/** `p2` before `p10`. */
function compareIds(a: string, b: string): number {
  const [, headA = "", digitsA = ""] = /^(.*?)(\d*)$/.exec(a) ?? [];
  const [, headB = "", digitsB = ""] = /^(.*?)(\d*)$/.exec(b) ?? [];
  if (headA !== headB) return headA < headB ? -1 : 1;
  return Number(digitsA) - Number(digitsB) || (a < b ? -1 : Number(a > b));
}

function firstOf(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((first, each) => (byId(each, first) < 0 ? each : first));
}

/** The least id. */
export const firstId: Strategy = {
  preempts: false,
  choose: ({ candidates }) => firstOf(candidates).member,
};

/** The next id after that of the last leader. */
export const roundRobin: Strategy = {
  preempts: false,
  choose: ({ candidates, previous }) => {
    const later = previous === null ? [] : candidates.filter((each) => byId(each, previous) > 0);
    return firstOf(later.length > 0 ? later : candidates).member;
  },
};

/** The least id of the first site of these that has anybody; sites that are not named come last. */
export const siteOrder = (sites: readonly string[]): Strategy => ({
  preempts: false,
  choose: ({ candidates }) => {
    const at = sites.findIndex((site) => candidates.some((each) => each.site === site));
    return firstOf(at < 0 ? candidates : candidates.filter(({ site }) => site === sites[at])).member;
  },
});

/** Another site than the last leader's, as for disaster recovery; the same one where there is no other. */
export const otherSite: Strategy = {
  preempts: false,
  choose: ({ candidates, previous }) => {
    const others = candidates.filter(({ site }) => site !== previous?.site);
    return firstOf(others.length > 0 ? others : candidates).member;
  },
};

/** The best score; a leader is kept until another is better by `hysteresis`. */
export const bestScore = (hysteresis: number): Strategy => ({
  preempts: true,
  choose: ({ candidates, leader }) => {
    const best = candidates.reduce((a, b) =>
      b.score > a.score || (b.score === a.score && byId(b, a) < 0) ? b : a,
    );
    return leader !== null && best.score <= leader.score + hysteresis ? leader.member : best.member;
  },
});
