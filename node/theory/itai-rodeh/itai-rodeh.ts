/**
 * Itai and Rodeh: an anonymous ring of known size elects by chance.
 *
 * In a phase every process that still stands draws a number from 1 to n and sends it round. A token of a
 * greater draw, or of a later phase, ends whose standing it meets; a smaller one is dropped; an equal one
 * goes on and is no longer unique. Who has its own token back, after n hops, leads if it is unique, else
 * draws again. Every phase ends with somebody standing, so nobody can say how long it takes, only how long to
 * expect.
 */

import { type Effect, type Input, NOTHING, type Process } from "../process.ts";

export type ItaiRodehMessage =
  | {
      readonly kind: "token";
      readonly phase: number;
      readonly draw: number;
      /** Processes that it has reached, the next one included. */
      readonly hops: number;
      readonly unique: boolean;
    }
  | { readonly kind: "elected"; readonly hops: number };

type Token = Extract<ItaiRodehMessage, { kind: "token" }>;

export const ITAI_RODEH_SLIPS = {
  "equal is home": "an equal draw is taken for the own token, however few hops it has made",
  "always unique": "a token that meets its equal stays unique",
  "equal ends standing": "who meets an equal draw stands no longer",
  "draws once": "who has to draw again keeps what it drew",
} as const;

export type ItaiRodehSlip = keyof typeof ITAI_RODEH_SLIPS;

type Effects = readonly Effect<ItaiRodehMessage>[];

export class ItaiRodeh implements Process<ItaiRodehMessage> {
  readonly #size: number;
  readonly #draw: () => number;
  readonly #slip: ItaiRodehSlip | null;
  #phase = 0;
  /** The own draw of this phase; null for who stands no longer. */
  #drawn: number | null = null;
  #isAsleep = true;

  /** `draw` gives a number from 1 to n, each as likely. */
  constructor(size: number, draw: () => number, slip: ItaiRodehSlip | null = null) {
    this.#size = size;
    this.#draw = draw;
    this.#slip = slip;
  }

  /** How many phases it has stood in. */
  get phase(): number {
    return this.#phase;
  }

  step(input: Input<ItaiRodehMessage>): Effects {
    if (input.kind === "begin") return this.#wake();
    if (input.kind !== "message") return NOTHING;
    const { message } = input;
    if (message.kind === "elected") return this.#elected(message.hops);
    return [...this.#wake(), ...this.#hear(message)];
  }

  #wake(): Effects {
    if (!this.#isAsleep) return NOTHING;
    this.#isAsleep = false;
    return this.#stand();
  }

  #stand(): Effects {
    this.#phase += 1;
    if (this.#drawn === null || this.#slip !== "draws once") this.#drawn = this.#draw();
    return [
      {
        kind: "pass on",
        message: { kind: "token", phase: this.#phase, draw: this.#drawn, hops: 1, unique: true },
      },
    ];
  }

  #hear(token: Token): Effects {
    const onward: Token = { ...token, hops: token.hops + 1 };
    if (this.#drawn === null) return [{ kind: "pass on", message: onward }];
    const difference = token.phase - this.#phase || token.draw - this.#drawn;
    const isHome = token.hops === this.#size || this.#slip === "equal is home";
    if (difference === 0 && isHome) return token.unique ? this.#lead() : this.#stand();
    if (difference < 0) return NOTHING;
    if (difference > 0 || this.#slip === "equal ends standing") this.#drawn = null;
    const unique = token.unique && (difference > 0 || this.#slip === "always unique");
    return [{ kind: "pass on", message: { ...onward, unique } }];
  }

  #lead(): Effects {
    return [{ kind: "lead" }, { kind: "pass on", message: { kind: "elected", hops: 1 } }];
  }

  /** Nobody has a name: the leader is so many processes back. */
  #elected(hops: number): Effects {
    if (hops === this.#size) return NOTHING;
    this.#drawn = null;
    return [
      { kind: "follow", leader: hops },
      { kind: "pass on", message: { kind: "elected", hops: hops + 1 } },
    ];
  }
}
