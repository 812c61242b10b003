/**
 * Time slice, for synchronous rings of known size n in which all begin in one round: the least id leads, and
 * the other ids never speak.
 *
 * Slice v is rounds vn + 1 to (v + 1)n. Who has v and has heard nothing says it at the beginning of that
 * slice; the token goes all around within it, and tells everybody who leads. Exactly n messages; n(v + 1)
 * rounds for the least v. The lectures claim such a thing ("Theta(n) under certain conditions") and do not
 * print it.
 *
 * All rests on rounds: when a message takes longer than one, the next slice begins before the token is
 * around.
 */

import { believe, type Effect, type Input, NOTHING, type Process } from "../process.ts";

export interface TokenMessage {
  readonly kind: "token";
  readonly id: number;
}

export const TIME_SLICE_SLIPS = {
  "slices of n - 1": "a slice is a round too short for the whole ring",
  "speaks in any case": "who has heard a token says its own in its slice all the same",
  "one slice early": "the token is said at the end of the slice before",
  "whoever is heard is passed": "who has its own token back passes it on",
} as const;

export type TimeSliceSlip = keyof typeof TIME_SLICE_SLIPS;

export class TimeSlice implements Process<TokenMessage> {
  readonly #id: number;
  readonly #beginsAt: number;
  readonly #slip: TimeSliceSlip | null;
  #hasHeard = false;

  constructor(id: number, size: number, slip: TimeSliceSlip | null = null) {
    this.#id = id;
    const early = slip === "one slice early" && id > 0 ? size - 1 : 0;
    this.#beginsAt = id * (slip === "slices of n - 1" ? size - 1 : size) + 1 - early;
    this.#slip = slip;
  }

  step(input: Input<TokenMessage>): readonly Effect<TokenMessage>[] {
    if (input.kind === "round") {
      const speaks =
        input.number === this.#beginsAt && (!this.#hasHeard || this.#slip === "speaks in any case");
      return speaks ? [{ kind: "pass on", message: { kind: "token", id: this.#id } }] : NOTHING;
    }
    if (input.kind !== "message") return NOTHING;
    const { message } = input;
    if (message.id === this.#id) {
      return this.#slip === "whoever is heard is passed"
        ? [{ kind: "lead" }, { kind: "pass on", message }]
        : [{ kind: "lead" }];
    }
    this.#hasHeard = true;
    return believe(message);
  }
}
