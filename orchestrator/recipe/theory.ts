/**
 * What one handover costs by the formulas: milliseconds from the commit of the old session's end at the
 * ensemble's leader L until the next leads, notifications, and lists of children.
 *
 * A recipe in which the next hears of it by itself: RTT(c, L) / 2, for the candidate c. Priority election:
 * the elector e hears and elects, the candidate claims, takes over and is ready, W = RTT(e, L) + 2.5 RTT(c,
 * L) + 3 theta_c(L) + takeover. Of s survivors each is told of the two deaths of `current` and what it
 * follows, 4 s + 2 in all, unless the dead was the elector or the youngest. Where all watch everything, each
 * is told of `elected`, three times of `current`, and of three lists: 7 s.
 */

import type { Recipe, RecipePlan } from "./plan.ts";

export interface Situation {
  readonly recipe: Recipe;
  readonly watching: RecipePlan["watching"];
  /** Who are left. */
  readonly survivors: number;
  /** The dead was the elector, or nobody waits behind it. */
  readonly isAtAnEnd: boolean;
  /** Milliseconds. */
  readonly elector: number;
  readonly candidate: number;
  readonly consensus: number;
  readonly takeover: number;
}

export interface Costs {
  readonly ms: number;
  readonly notifications: number | null;
  readonly lists: number | null;
}

export function costsOf(situation: Situation): Costs {
  const { recipe, watching, survivors, isAtAnEnd, elector, candidate, consensus, takeover } = situation;
  if (recipe === "priority") {
    const ms = elector + 2.5 * candidate + 3 * consensus + takeover;
    const lean = isAtAnEnd ? null : 4 * survivors + 2;
    return { ms, notifications: watching === "all" ? 7 * survivors : lean, lists: null };
  }
  const told = recipe === "herd" ? survivors : 1;
  return { ms: candidate / 2, notifications: told, lists: told };
}
