/**
 * Several leaders of one resource, each another member, and spares: a priority election for each place. A
 * member stands for all places until it has one, and for all again when it has lost it, so no two places have
 * the same leader: it takes over one at a time, and refuses the others while it does.
 */

import { EventEmitter } from "node:events";
import { below } from "../election/medium/way.ts";
import { PriorityElection, type PriorityElectionOptions, type Takeover } from "./priority-election.ts";

export interface LeaderPlace extends Takeover {
  /** From 0 on. */
  readonly place: number;
}

export interface PriorityLeadersOptions extends Omit<PriorityElectionOptions, "takeOver" | "lead"> {
  /** How many lead. */
  readonly places: number;
  readonly takeOver?: (place: LeaderPlace) => Promise<void>;
  readonly lead: (place: LeaderPlace) => Promise<void>;
}

interface LeadersEvents {
  /** Somebody leads in this place. */
  led: [{ readonly place: number; readonly by: string; readonly term: number }];
}

export class PriorityLeaders extends EventEmitter<LeadersEvents> {
  readonly #options: PriorityLeadersOptions;
  readonly #elections: (PriorityElection | null)[];
  /** The place that it takes over or leads in. */
  #own: number | null = null;
  #isLeaving = false;

  /** It stands for every place at once. */
  constructor(options: PriorityLeadersOptions) {
    super();
    if (!(Number.isInteger(options.places) && options.places > 0))
      throw new Error(`${options.places} leaders: there must be one at least`);
    this.#options = options;
    this.#elections = Array.from({ length: options.places }, (_, place) => this.#stand(place));
  }

  /** The place in which it leads; null: it is a spare. */
  get place(): number | null {
    const own = this.#own;
    return own !== null && this.#elections[own]?.leads === true ? own : null;
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    await Promise.all(this.#elections.map(async (election) => election?.leave()));
  }

  #stand(place: number): PriorityElection {
    const { takeOver, lead, path, ...rest } = this.#options;
    const election = new PriorityElection({
      ...rest,
      path: below(path, `place-${place}`),
      takeOver: async (takeover) => {
        if (this.#own !== null && this.#own !== place) throw new Taken(this.#own);
        this.#own = place;
        try {
          await takeOver?.({ ...takeover, place });
        } catch (error) {
          this.#free(place);
          throw error;
        }
        this.#giveUpOthers(place);
      },
      lead: async (takeover) => lead({ ...takeover, place }),
    });
    return election
      .on("led", ({ by, term }) => this.emit("led", { place, by, term }))
      .on("abandoned", () => this.#free(place))
      .on("deposed", () => this.#free(place))
      .on("left", () => this.#left(place));
  }

  /** Who leads one place is no spare for the others. */
  #giveUpOthers(place: number): void {
    for (const [other, election] of this.#elections.entries())
      if (other !== place && election !== null) void election.leave();
  }

  #left(place: number): void {
    this.#elections[place] = null;
    this.#free(place);
  }

  /** It is a spare again. */
  #free(place: number): void {
    if (this.#own === place) this.#own = null;
    if (this.#isLeaving || this.#own !== null) return;
    for (const [other, election] of this.#elections.entries())
      if (election === null) this.#elections[other] = this.#stand(other);
  }
}

/** It is told to the elector as that it cannot take over. */
class Taken extends Error {
  constructor(place: number) {
    super(`it has place ${place}`);
  }
}
