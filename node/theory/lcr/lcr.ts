/**
 * LeLann, Chang and Roberts, to the letter:
 *
 *   send value of own id to the left                          (1)
 *   when receive an id j (from the right):
 *     if j > id then forward j to the left                    (2)
 *     if j = id then elect self                               (3)
 *     if j < id then do nothing                               (4)
 *
 * Left is the direction of travel. Who has elected itself tells it all around, which the lecture counts and
 * does not print.
 *
 * The replica's rules (`election/lcr`) are a second program on purpose: theirs carry whom a token met and go
 * on after failures, and what they cost is compared with this.
 */

import { believe, type Effect, type Input, NOTHING, type Process } from "../process.ts";

export interface LcrMessage {
  readonly kind: "token" | "elected";
  readonly id: number;
}

export const LCR_SLIPS = {
  "smaller goes on": "an id is passed on though it is smaller",
  "own id goes on": "who has its own id back passes it on as if it were greater",
  "announcement goes on": "the elected one passes its own announcement on",
  "greater is believed": "whoever is greater is taken for the leader at once",
} as const;

export type LcrSlip = keyof typeof LCR_SLIPS;

type Effects = readonly Effect<LcrMessage>[];

export class Lcr implements Process<LcrMessage> {
  readonly #id: number;
  readonly #slip: LcrSlip | null;
  #asleep = true;

  constructor(id: number, slip: LcrSlip | null = null) {
    this.#id = id;
    this.#slip = slip;
  }

  step(input: Input<LcrMessage>): Effects {
    if (input.kind === "begin") return this.#wake();
    if (input.kind !== "message") return NOTHING;
    const { message } = input;
    if (message.kind === "elected") return this.#hearElected(message);
    return this.#asleep ? [...this.#wake(), ...this.#hear(message)] : this.#hear(message);
  }

  #wake(): Effects {
    if (!this.#asleep) return NOTHING;
    this.#asleep = false;
    return [{ kind: "pass on", message: { kind: "token", id: this.#id } }]; // (1)
  }

  #hear(message: LcrMessage): Effects {
    if (message.id > this.#id || (message.id < this.#id && this.#slip === "smaller goes on")) {
      const forward = { kind: "pass on", message } as const;
      return this.#slip === "greater is believed"
        ? [{ kind: "follow", leader: message.id }, forward]
        : [forward]; // (2)
    }
    if (message.id < this.#id) return NOTHING; // (4)
    if (this.#slip === "own id goes on") return [{ kind: "pass on", message }];
    return [{ kind: "lead" }, { kind: "pass on", message: { kind: "elected", id: this.#id } }]; // (3)
  }

  #hearElected(message: LcrMessage): Effects {
    if (message.id === this.#id && this.#slip !== "announcement goes on") return NOTHING;
    return believe(message);
  }
}
