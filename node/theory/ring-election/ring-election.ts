/**
 * The ring election with initiators, to the letter of the second lecture: a message names the greatest id
 * that it has met.
 *
 * Whoever finds the old coordinator failed sends Election with its own id. Whoever receives one
 *   - smaller than its own id forwards its own instead, if it has not forwarded an Election earlier;    (1)
 *   - greater than its own id forwards it;                                                              (2)
 *   - that is its own id is the coordinator, and sends Elected, which everybody notes and forwards.     (3)
 *
 * When several begin there are two rules. `flag`, the classic: one flag for each process, and who has it
 * drops what is smaller. `cache`, the lecture's: a message also names who began, and whoever knows of a
 * greater beginner drops it; then "has forwarded earlier" in (1) must mean: in the run of this beginner. With
 * one flag for all runs two beginners can silence each other, and nobody is elected.
 */

import { believe, type Effect, type Input, NOTHING, type Process } from "../process.ts";

export interface RingElectionMessage {
  readonly kind: "Election" | "Elected";
  readonly id: number;
  readonly initiator: number;
}

export const RING_ELECTION_RULES = ["cache", "flag"] as const;
export type RingElectionRule = (typeof RING_ELECTION_RULES)[number];

export const RING_ELECTION_SLIPS = {
  "one flag": "what was forwarded in one beginner's run counts in all",
  "else forward": "with one flag, who has it passes on what is smaller",
  "lower runs go on": "runs of lower beginners are not dropped",
  "own instead twice": "who has forwarded replaces what is smaller again",
} as const;

export type RingElectionSlip = keyof typeof RING_ELECTION_SLIPS;

type Effects = readonly Effect<RingElectionMessage>[];

export class RingElection implements Process<RingElectionMessage> {
  readonly #id: number;
  readonly #rule: RingElectionRule;
  readonly #slip: RingElectionSlip | null;
  /** The greatest beginner heard of. */
  #initiator = -Infinity;
  #hasForwarded = false;

  constructor(id: number, rule: RingElectionRule, slip: RingElectionSlip | null = null) {
    this.#id = id;
    this.#rule = rule;
    this.#slip = slip;
  }

  step(input: Input<RingElectionMessage>): Effects {
    if (input.kind === "begin") return this.#begin();
    if (input.kind !== "message") return NOTHING;
    const { message } = input;
    if (this.#rule === "cache" && !this.#isOfGreatest(message)) return NOTHING;
    return message.kind === "Election" ? this.#elect(message) : this.#elected(message);
  }

  #begin(): Effects {
    if (this.#rule === "flag" ? this.#hasForwarded : this.#initiator > this.#id) return NOTHING;
    this.#initiator = this.#id;
    return this.#forward({ kind: "Election", id: this.#id, initiator: this.#id });
  }

  /** Remembers a greater beginner, whose run is another. */
  #isOfGreatest({ initiator }: RingElectionMessage): boolean {
    if (initiator < this.#initiator) return this.#slip === "lower runs go on";
    if (initiator > this.#initiator) {
      this.#initiator = initiator;
      if (this.#slip !== "one flag" && this.#slip !== "else forward") this.#hasForwarded = false;
    }
    return true;
  }

  #elect(message: RingElectionMessage): Effects {
    const { id, initiator } = message;
    if (id === this.#id) {
      return [{ kind: "lead" }, { kind: "pass on", message: { kind: "Elected", id, initiator } }]; // (3)
    }
    if (id > this.#id) return this.#forward(message); // (2)
    if (this.#hasForwarded && this.#slip === "else forward") return this.#forward(message);
    if (this.#hasForwarded && this.#slip !== "own instead twice") return NOTHING;
    return this.#forward({ ...message, id: this.#id }); // (1)
  }

  #forward(message: RingElectionMessage): Effects {
    this.#hasForwarded = true;
    return [{ kind: "pass on", message }];
  }

  #elected(message: RingElectionMessage): Effects {
    this.#hasForwarded = false;
    return message.id === this.#id ? NOTHING : believe(message);
  }
}
