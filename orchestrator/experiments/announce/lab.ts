/**
 * Groups that elect in virtual time, as often as it takes. What several claims ask for is made once. T_A is
 * 1; the delay that all ways have, D, is left out of times, as in the thesis' plots.
 */

import { groupElections, type GroupElectionName } from "#node/election/group-catalog.ts";
import { type FirstRound, firstRound, silences } from "#node/host/virtual/group-election-world.ts";
import { independentLoss, type ReadingBuffer } from "#node/host/virtual/group-network.ts";
import { Interrupted, NOTHING_YET } from "../../terminal/interrupted.ts";
import type { LossKind } from "./formulas.ts";
import { type Sample, sampleOf } from "./sample.ts";

/** A group whose members begin together. */
export interface Beginning {
  readonly election: GroupElectionName;
  readonly members: number;
  readonly loss?: number;
  readonly kind?: LossKind;
  /** Of the loss: so much is of all, and the rest of each by itself, whatever its kind. */
  readonly shared?: number;
  /** T_S; the thesis' figures have 1. */
  readonly suppress?: number;
  /** D; the thesis' figures have 0.1. */
  readonly delay?: number;
  readonly steepness?: number;
  readonly buffer?: ReadingBuffer;
  /** In virtual time; what the number of members says when not given. */
  readonly runs?: number;
}

/** Until latched, without D, which suppression alone never is; the rest as `FirstRound`. */
export type Begun = Readonly<Record<keyof FirstRound, Sample>>;

export interface LabOptions {
  readonly quick: boolean;
  readonly signal: AbortSignal;
  readonly progress: (what: string) => void;
  /** Real members, where there are any. */
  readonly live?: LiveLab | null;
}

/** Real members over an emulated network: fewer sizes, fewer runs. */
export interface LiveLab {
  readonly sizes: readonly number[];
  /** Of each beginning. */
  readonly runs: number;
  begin(beginning: Beginning): Promise<Begun | null>;
}

export class Lab {
  readonly #options: LabOptions;
  readonly #begun = new Map<string, Begun>();

  constructor(options: LabOptions) {
    this.#options = options;
  }

  get quick(): boolean {
    return this.#options.quick;
  }

  get live(): LiveLab | null {
    return this.#options.live ?? null;
  }

  /** How many begin, along the axis of a figure. */
  get sizes(): readonly number[] {
    return this.quick ? [2, 5, 10, 20, 50, 100] : [2, 3, 5, 10, 20, 50, 70, 100, 200, 350, 500];
  }

  /** The thesis' 1,000 runs up to N = 100, and 100 beyond. */
  runsOf(members: number): number {
    if (this.quick) return members > 50 ? 100 : 300;
    return members > 100 ? 100 : 1000;
  }

  /** The first round of groups that begin together. */
  async begin(beginning: Beginning): Promise<Begun> {
    const key = JSON.stringify(beginning);
    const known = this.#begun.get(key);
    if (known !== undefined) return known;
    const { election, members, delay = 0.1, suppress = 1, loss = 0, kind = "shared" } = beginning;
    const { steepness, buffer, shared, runs: wanted = this.runsOf(members) } = beginning;
    const entry = groupElections[election];
    const shape = {
      election: entry,
      size: members,
      suppress,
      delay,
      ...(shared === undefined ? { [kind]: loss } : { shared, independent: independentLoss(loss, shared) }),
      ...(buffer !== undefined && { buffer }),
      more: steepness === undefined ? {} : { steepness },
    };
    const what = `${election} of ${members}, loss ${loss} ${kind}`;
    const runs = await this.repeat(what, wanted, (seed) =>
      (election === "sup-al" ? silences : firstRound)(shape, seed),
    );
    const of = (value: (run: FirstRound) => number): Sample => sampleOf(runs.map(value));
    const begun = {
      delay: of((run) => run.delay - delay),
      inSuppress: of((run) => run.inSuppress),
      untilLatched: of((run) => run.untilLatched),
      first: of((run) => run.first),
      last: of((run) => run.last),
    };
    this.#begun.set(key, begun);
    return begun;
  }

  /** Gives way now and then, so that Ctrl-C is noticed. */
  async repeat<T>(what: string, runs: number, of: (seed: number) => T): Promise<readonly T[]> {
    const { progress, signal } = this.#options;
    progress(what);
    const results: T[] = [];
    let since = performance.now();
    for (let seed = 1; seed <= runs; seed++) {
      results.push(of(seed));
      if (performance.now() - since < PATIENCE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
      if (signal.aborted) throw new Interrupted(NOTHING_YET);
    }
    return results;
  }
}

const PATIENCE_MS = 100;
