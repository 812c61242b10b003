/**
 * How good a leader would this server be? What every oracle of the catalog is, seen from outside.
 *
 * An oracle looks at what its server knows (a view: round-trip times, request rates, its own history) and
 * gives a score, together with the order in which scores are better. It has no clock, keeps nothing and sends
 * nothing; whoever needs more to be known adds it to the view.
 */

import type { ServerId } from "../core/identity.ts";
import type { Round, Score } from "../core/score.ts";
import type { Duration } from "../core/time.ts";
import type { Report } from "./report.ts";
import type { Zxid } from "../core/zxid.ts";

/** What a server knows about itself and the others when it is asked for a score. */
export interface View {
  readonly self: ServerId;
  /** The whole ensemble in ascending order, dead or alive. */
  readonly servers: readonly ServerId[];
  /** Mean round-trip time to every server that answers, this server (0) included, those left out excluded. */
  readonly roundTrips: ReadonlyMap<ServerId, Duration>;
  /** Client requests per second that each server receives; the same servers as in `roundTrips`. */
  readonly requestRates: ReadonlyMap<ServerId, number>;
  /** Servers that answer, but were not measured yet. */
  readonly unmeasured: readonly ServerId[];
  /** The last transaction in this server's log. */
  readonly lastZxid: Zxid;
  /** What each of those in `roundTrips` told last of itself, as far as it did; this server's own is there. */
  readonly reports: ReadonlyMap<ServerId, Report>;
  /** Who led last, as far as this server knows; it may be this server, or be back. */
  readonly lastLeader: ServerId | null;
  /** The leader that is left out above, and what it told last: its clients will go to others. */
  readonly departed: Departed | null;
}

export interface Departed {
  readonly server: ServerId;
  readonly requestRate: number;
  readonly report: Report;
}

export interface Oracle {
  score(view: View, round: Round): Score;
  /**
   * Negative when `a` is worse than `b`, positive when better, 0 for a tie. A total order over this oracle's
   * scores.
   */
  compare(a: Score, b: Score): number;
  /** Does the view hold enough to judge by? */
  ready(view: View): boolean;
  /** Who is to lead first, where that was stated. */
  readonly first?: ServerId | undefined;
  /** The numbers behind the score, with their units in the names, for reports; never for deciding. */
  explain(view: View, round: Round): Readonly<Record<string, number>>;
  /**
   * By what share one score is better than another: 0.2 where writes take a fifth less time. An oracle
   * without it has no leader resign.
   */
  advantage?(score: Score, over: Score): number;
  /** The time that a score stands for, where it is one. */
  milliseconds?(score: Score): number | null;
}
