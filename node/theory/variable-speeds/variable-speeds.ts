/**
 * Variable speeds, for synchronous rings whose size nobody knows: the least id leads, because its token is
 * the fastest.
 *
 * Token v takes 2^v rounds for a hop: it waits in a process until it is due. It is dropped, when it arrives
 * or when it is due, where a less one has been seen. The winner has its token home in round n 2^v; until then
 * at least n and less than 2n messages have gone, and an announcement goes round after it.
 */

import { believe, type Effect, type Input, NOTHING, type Process } from "../process.ts";

export interface SpeedMessage {
  readonly kind: "token" | "elected";
  readonly id: number;
}

export const VARIABLE_SPEEDS_SLIPS = {
  "all alike": "every token takes one round for a hop",
  "dropped on arrival only": "a token that waits goes on although a less one has come by",
  "nothing dropped": "a token goes on where a less one was seen",
  "own id not seen": "a process does not count its own id among those it has seen",
} as const;

export type VariableSpeedsSlip = keyof typeof VARIABLE_SPEEDS_SLIPS;

interface Held {
  readonly id: number;
  /** The round in which it goes on. */
  readonly due: number;
}

export class VariableSpeeds implements Process<SpeedMessage> {
  readonly #id: number;
  readonly #slip: VariableSpeedsSlip | null;
  #round = 0;
  #least: number;
  #held: readonly Held[];

  constructor(id: number, slip: VariableSpeedsSlip | null = null) {
    this.#id = id;
    this.#slip = slip;
    this.#least = slip === "own id not seen" ? Infinity : id;
    this.#held = [{ id, due: this.#roundsFor(id) }];
  }

  step(input: Input<SpeedMessage>): readonly Effect<SpeedMessage>[] {
    if (input.kind === "round") return this.#goOn(input.number);
    if (input.kind !== "message") return NOTHING;
    const { message } = input;
    if (message.kind === "elected") return message.id === this.#id ? NOTHING : believe(message);
    if (message.id === this.#id) {
      return [{ kind: "lead" }, { kind: "pass on", message: { kind: "elected", id: this.#id } }];
    }
    if (message.id > this.#least && this.#slip !== "nothing dropped") return NOTHING;
    this.#least = Math.min(this.#least, message.id);
    this.#held = [...this.#held, { id: message.id, due: this.#round + this.#roundsFor(message.id) }];
    return NOTHING;
  }

  #goOn(round: number): readonly Effect<SpeedMessage>[] {
    this.#round = round;
    if (!this.#held.some((held) => held.due === round)) return NOTHING;
    const due = this.#held.filter((held) => held.due === round);
    this.#held = this.#held.filter((held) => held.due !== round);
    return due
      .filter(
        ({ id }) =>
          id <= this.#least || this.#slip === "dropped on arrival only" || this.#slip === "nothing dropped",
      )
      .map(({ id }) => ({ kind: "pass on", message: { kind: "token", id } }));
  }

  #roundsFor(id: number): number {
    return this.#slip === "all alike" ? 1 : 2 ** id;
  }
}
