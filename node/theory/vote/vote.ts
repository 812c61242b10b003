/**
 * Majority vote, to the letter (Chubby, as the second lecture has it): everybody reaches everybody, nobody
 * votes twice, and who has the votes of more than half leads.
 *
 *   who looks for a leader votes for itself, and asks all others                 (1)
 *   who is asked votes for who asked first                                       (2)
 *   with a majority of votes it leads, and informs all                           (3)
 *
 * Nothing is said to whom a vote is refused. So where several ask, votes may be divided such that nobody has
 * more than half, and then nobody ever leads: the letter ends there, and what mends that is not in it.
 */

import { type Effect, type Input, NOTHING, type Process } from "../process.ts";

export interface VoteMessage {
  readonly kind: "Ask" | "Vote" | "Master";
  readonly id: number;
}

export const VOTE_SLIPS = {
  "votes for all": "whoever asks has the vote",
  "half is enough": "it leads with half of the votes",
  "informs nobody": "who leads does not say so",
  "own vote twice": "who has voted for another asks for votes all the same, with its own",
} as const;

export type VoteSlip = keyof typeof VOTE_SLIPS;

type Effects = readonly Effect<VoteMessage>[];

export class MajorityVote implements Process<VoteMessage> {
  readonly #id: number;
  readonly #size: number;
  readonly #slip: VoteSlip | null;
  #hasVoted = false;
  #votes = 0;
  #leads = false;

  /** Ids are 1 to `size`, at places 0 to `size - 1`. */
  constructor(id: number, size: number, slip: VoteSlip | null = null) {
    this.#id = id;
    this.#size = size;
    this.#slip = slip;
  }

  step(input: Input<VoteMessage>): Effects {
    if (input.kind === "begin") return this.#ask();
    return input.kind === "message" ? this.#hear(input.message) : NOTHING;
  }

  /** (1) */
  #ask(): Effects {
    if (this.#hasVoted && this.#slip !== "own vote twice") return NOTHING;
    this.#hasVoted = true;
    return [this.#tellAll("Ask"), ...this.#count()];
  }

  #hear({ kind, id }: VoteMessage): Effects {
    switch (kind) {
      case "Ask":
        if (this.#hasVoted && this.#slip !== "votes for all") return NOTHING;
        this.#hasVoted = true;
        return [{ kind: "send", to: [id - 1], message: { kind: "Vote", id: this.#id } }]; // (2)
      case "Vote":
        return this.#count();
      case "Master":
        return [{ kind: "follow", leader: id }];
    }
  }

  /** (3) */
  #count(): Effects {
    this.#votes += 1;
    const isEnough =
      2 * this.#votes > this.#size || (this.#slip === "half is enough" && 2 * this.#votes === this.#size);
    if (this.#leads || !isEnough) return NOTHING;
    this.#leads = true;
    return [{ kind: "lead" }, ...(this.#slip === "informs nobody" ? [] : [this.#tellAll("Master")])];
  }

  #tellAll(kind: VoteMessage["kind"]): Effect<VoteMessage> {
    const places = Array.from({ length: this.#size }, (_, place) => place);
    return {
      kind: "send",
      to: places.filter((place) => place !== this.#id - 1),
      message: { kind, id: this.#id },
    };
  }
}
