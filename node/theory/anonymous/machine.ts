/**
 * Any deterministic process of an anonymous ring, as a table: a finite automaton that says something both
 * ways in each round, hears both neighbours, and goes to its next state. States from `elected` on are
 * elected, and nothing leads out of them.
 *
 * All begin alike, so after each round all are alike: nobody leads, or everybody does. And when a state comes
 * again that all were in before, what follows will come again too: then nobody leads for ever.
 */

import type { Random } from "../../core/random.ts";
import { type Effect, type Input, NOTHING, type Process, type Way } from "../process.ts";

export interface Machine {
  readonly states: number;
  readonly words: number;
  /** The first of the elected states. */
  readonly elected: number;
  /** By state: what it says on, and back. */
  readonly says: readonly (readonly [on: number, back: number])[];
  /** By state, word heard from behind, and word heard from ahead. */
  readonly next: readonly number[];
}

export interface WordMessage {
  readonly kind: "word";
  readonly word: number;
}

/** One of all tables of this size, each as likely, but that nothing leads out of elected states. */
export function drawMachine(random: Random, states: number, words: number): Machine {
  const elected = random.integer(1, states);
  const all = Array.from({ length: states }, (_, state) => state);
  return {
    states,
    words,
    elected,
    says: all.map(() => [random.integer(0, words - 1), random.integer(0, words - 1)] as const),
    next: all.flatMap((state) =>
      Array.from({ length: words * words }, () => random.integer(state < elected ? 0 : elected, states - 1)),
    ),
  };
}

export class Anonymous implements Process<WordMessage> {
  readonly #machine: Machine;
  readonly #heard: Record<Way, number | null> = { on: null, back: null };
  #state: number;

  /** The escape: one that begins in another state than the rest. */
  constructor(machine: Machine, state = 0) {
    this.#machine = machine;
    this.#state = state;
  }

  /** All that it remembers between rounds. */
  get fingerprint(): string {
    return `${this.#state}`;
  }

  step(input: Input<WordMessage>): readonly Effect<WordMessage>[] {
    if (input.kind === "round") {
      const [on, back] = this.#machine.says[this.#state] as readonly [number, number];
      return [
        { kind: "pass on", message: { kind: "word", word: on } },
        { kind: "pass back", message: { kind: "word", word: back } },
      ];
    }
    if (input.kind !== "message") return NOTHING;
    this.#heard[input.way] = input.message.word;
    const { on, back } = this.#heard;
    return on === null || back === null ? NOTHING : this.#goOn(on, back);
  }

  #goOn(on: number, back: number): readonly Effect<WordMessage>[] {
    const { words, next, elected } = this.#machine;
    this.#heard.on = null;
    this.#heard.back = null;
    this.#state = next[(this.#state * words + on) * words + back] as number;
    return this.#state >= elected ? [{ kind: "lead" }] : NOTHING;
  }
}
