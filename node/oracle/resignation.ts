/**
 * A leader that would be beaten resigns: it looks at every heartbeat how good a leader each of the others
 * would be while this one stays ("before-resignation" scores, section 5), and names whoever has been better
 * by a margin for a time. Somebody else hands the place over.
 *
 * Leaders are worth keeping, so there is a hold-down (who comes back must have been there, and better, for as
 * long), a quiet time after each change of leader, and a most in an hour. All servers see changes, so all
 * count the same ones.
 *
 * What a change was to gain is told beside what it gained: the mean of all writes as servers report them,
 * with the load of the time before.
 */

import type { ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import { round, type Score } from "../core/score.ts";
import {
  after,
  between,
  type Duration,
  type Instant,
  microseconds,
  milliseconds,
  seconds,
} from "../core/time.ts";
import type { ResignationEvent } from "../telemetry/resignation-event.ts";
import type { Oracle, View } from "./oracle.ts";
import { offeredRates } from "./offered.ts";
import { candidates } from "./view-of.ts";

export interface ResignTerms {
  /** By what share another must be better: 0.1 is a tenth. */
  readonly margin: number;
  /** And by what time, where scores are times: a tenth of a LAN's is nothing. */
  readonly least: Duration;
  /** For how long without a break. */
  readonly hold: Duration;
  /** From any change of leader to the next resignation. */
  readonly quiet: Duration;
  /** Changes of leader in an hour, whatever they come from; at so many the leader stays. */
  readonly most: number;
}

export const USUAL_TERMS: ResignTerms = {
  margin: 0.1,
  least: milliseconds(1),
  hold: seconds(10),
  quiet: seconds(60),
  most: 6,
};

interface Rival {
  readonly server: ServerId;
  readonly score: Score;
  readonly advantage: number;
}

/** A change that was made for a gain, whose gain is not known yet. */
interface Change {
  readonly to: ServerId;
  readonly predictedMs: Predicted | null;
  readonly beforeMs: number;
  readonly weights: ReadonlyMap<ServerId, number>;
  /** When the other began to serve. */
  servedAt: Instant | null;
}

type Predicted = readonly [own: number, other: number];

export interface Decision {
  /** Whom to give the place to. */
  readonly to: ServerId | null;
  readonly events: readonly ResignationEvent[];
}

export class Resignation {
  readonly #oracle: Oracle;
  readonly #terms: ResignTerms;
  readonly #mutant: Mutant | null;
  #leader: ServerId | null = null;
  #changedAt: Instant | null = null;
  #changes: Instant[] = [];
  /** Since when each has been better. */
  readonly #since = new Map<ServerId, Instant>();
  #isLimited = false;
  #change: Change | null = null;

  constructor(oracle: Oracle, terms: ResignTerms, mutant: Mutant | null = null) {
    this.#oracle = oracle;
    this.#terms = terms;
    this.#mutant = mutant;
  }

  /** It is served under this leader. */
  served(leader: ServerId, now: Instant): void {
    if (this.#change !== null) {
      if (leader === this.#change.to) this.#change.servedAt = now;
      else this.#change = null;
    }
    this.#since.clear();
    // The same leader in a new epoch was away for a moment.
    if (this.#leader !== null && this.#leader !== leader) this.#changes.push(now);
    this.#leader = leader;
    this.#changedAt = now;
  }

  /** It goes on to lead: the other could not. It must be better once more for as long. */
  kept(now: Instant): void {
    this.#since.clear();
    this.#changedAt = now;
    this.#change = null;
  }

  /** `view`: with the leader in it. */
  look(view: View, leads: boolean, now: Instant): Decision {
    const events = this.#achieved(view, now);
    if (!leads) return { to: null, events };
    const own = this.#oracle.score(view, ANY_ROUND);
    const rivals = this.#rivals(view, own);
    for (const server of this.#since.keys())
      if (!rivals.some((rival) => rival.server === server)) this.#since.delete(server);
    for (const { server } of rivals) if (!this.#since.has(server)) this.#since.set(server, now);
    const held = rivals.filter(({ server }) => this.#hasHeld(server, now));
    const [best] = held.toSorted((a, b) => this.#oracle.compare(b.score, a.score) || b.server - a.server);
    if (best === undefined || this.#isQuiet(now)) return { to: null, events };
    if (this.#changesLately(now) >= this.#terms.most) {
      if (this.#isLimited) return { to: null, events };
      this.#isLimited = true;
      return {
        to: null,
        events: [...events, { kind: "staying", to: best.server, changes: this.#terms.most }],
      };
    }
    this.#isLimited = false;
    return { to: best.server, events: [...events, this.#resigning(view, own, best, now)] };
  }

  #resigning(view: View, own: Score, { server, score, advantage }: Rival, now: Instant): ResignationEvent {
    const { weights, meanMs } = writesOf(view);
    const [ownMs, otherMs] = [this.#oracle.milliseconds?.(own), this.#oracle.milliseconds?.(score)];
    const predictedMs: Predicted | null =
      typeof ownMs === "number" && typeof otherMs === "number" ? [ownMs, otherMs] : null;
    this.#change = { to: server, predictedMs, beforeMs: meanMs(weights), weights, servedAt: null };
    const heldMs = between(this.#since.get(server) ?? now, now) / 1e3;
    this.#changedAt = now;
    return { kind: "resigning", to: server, advantage, heldMs, ...told(predictedMs) };
  }

  #rivals(view: View, own: Score): readonly Rival[] {
    if (this.#oracle.advantage === undefined || !this.#oracle.ready(view)) return [];
    const rivals: Rival[] = [];
    for (const [server, theirs] of candidates(view)) {
      if (server === view.self || !this.#oracle.ready(theirs)) continue;
      const score = this.#oracle.score(theirs, ANY_ROUND);
      const advantage = this.#oracle.advantage(score, own);
      if (advantage >= this.#terms.margin && advantage > 0 && this.#isWorth(score, own))
        rivals.push({ server, score, advantage });
    }
    return rivals;
  }

  #isWorth(score: Score, own: Score): boolean {
    const [mine, theirs] = [this.#oracle.milliseconds?.(own), this.#oracle.milliseconds?.(score)];
    if (typeof mine !== "number" || typeof theirs !== "number") return true;
    // Something else than time decided, such as a site.
    return theirs >= mine || (mine - theirs) * 1e3 >= this.#terms.least;
  }

  #hasHeld(server: ServerId, now: Instant): boolean {
    if (this.#mutant === "resigns-without-holding") return true;
    const since = this.#since.get(server);
    return since !== undefined && now >= after(since, this.#terms.hold);
  }

  #isQuiet(now: Instant): boolean {
    if (this.#mutant === "resigns-restlessly") return false;
    return this.#changedAt !== null && now < after(this.#changedAt, this.#terms.quiet);
  }

  #changesLately(now: Instant): number {
    this.#changes = this.#changes.filter((at) => now < after(at, HOUR));
    return this.#changes.length;
  }

  /** Once reports hold nothing of the time before. */
  #achieved(view: View, now: Instant): ResignationEvent[] {
    const change = this.#change;
    const servedAt = change?.servedAt ?? null;
    if (change === null || servedAt === null || now < after(servedAt, AFTERWARDS)) return [];
    this.#change = null;
    const { to, predictedMs, beforeMs, weights } = change;
    const afterMs = writesOf(view).meanMs(weights);
    return [{ kind: "resigned", to, beforeMs, afterMs, ...told(predictedMs) }];
  }
}

const told = (predictedMs: Predicted | null) =>
  predictedMs === null ? {} : { ownMs: predictedMs[0], otherMs: predictedMs[1] };

/** How long writes take at each server, and how much each counts. */
function writesOf(view: View) {
  const weights = offeredRates(view);
  const meanMs = (by: ReadonlyMap<ServerId, number>): number => {
    let [sum, total] = [0, 0];
    for (const [server, { writeLatency }] of view.reports) {
      const weight = writeLatency === 0 ? 0 : (by.get(server) ?? 0);
      sum += weight * writeLatency;
      total += weight;
    }
    return total === 0 ? 0 : microseconds(sum / total) / 1e3;
  };
  return { weights, meanMs };
}

/** Turns have nothing to do with it. */
const ANY_ROUND = round(1);
const HOUR = seconds(3600);
/** Servers report the mean of ten seconds, and that has come round. */
const AFTERWARDS = seconds(12);

/** `no`, `yes`, or `margin=10%,least=1ms,hold=10s,quiet=60s,most=6`: what is not said is as usual. */
export function readResign(text: string): ResignTerms | null | string {
  if (text === "" || text === "no") return null;
  if (text === "yes") return USUAL_TERMS;
  const terms: { -readonly [Name in keyof ResignTerms]: number } = { ...USUAL_TERMS };
  for (const item of text.split(",")) {
    const [, name = "", value = "", unit = ""] =
      /^\s*([a-z]+)=([0-9]+(?:\.[0-9]+)?)(%|ms|s|m|)\s*$/.exec(item) ?? [];
    const scale = SCALES[name]?.[unit];
    if (scale === undefined) return `"${item}" is not as in margin=10%,least=1ms,hold=10s,quiet=60s,most=6`;
    terms[name as keyof ResignTerms] = Number(value) * scale;
  }
  return terms as ResignTerms;
}

const TIMES: Readonly<Record<string, number>> = { ms: 1e3, s: 1e6, m: 60e6 };
const SCALES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  margin: { "%": 0.01 },
  least: TIMES,
  hold: TIMES,
  quiet: TIMES,
  most: { "": 1 },
};
