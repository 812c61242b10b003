/**
 * Hirschberg and Sinclair, to the letter of the lecture's Algorithm 5 but for one line:
 *
 *   send <probe, id, 0, 1> to left and right                                        (4)
 *   upon <probe, j, k, d> from left (resp. right):
 *     if j = id then terminate as the leader                                        (6)
 *     if j > id and d < 2^k then send <probe, j, k, d + 1> to right (resp. left)    (8)
 *     if j > id and d >= 2^k then send <reply, j, k> to left (resp. right)          (10)
 *   upon <reply, j, k> from left (resp. right):
 *     if j != id then send <reply, j, k> to right (resp. left)                      (12)
 *     else if already received <reply, j, k> from right (resp. left)                (14)
 *       then send <probe, id, k + 1, 1>                                             (15)
 *
 * Line 15 does not say where to; it is to left and right, as line 4. The own probe comes home from both
 * sides, and only the first one elects. What terminates the others is left out in the lecture: it goes on
 * round.
 *
 * The replica's rules (`election/hs`) are a second program on purpose, as those of LCR are.
 */

import { believe, type Effect, type Input, NOTHING, type Process, type Way } from "../process.ts";

export type HsMessage =
  | { readonly kind: "probe"; readonly id: number; readonly phase: number; readonly distance: number }
  | { readonly kind: "reply"; readonly id: number; readonly phase: number }
  | { readonly kind: "elected"; readonly id: number };

type Probe = Extract<HsMessage, { kind: "probe" }>;
type Reply = Extract<HsMessage, { kind: "reply" }>;

export const HS_SLIPS = {
  "one side": "a new phase probes one side only, as line 15 may be read",
  "one reply": "a reply from one side is enough for the next phase",
  "one hop too far": "a probe goes on where it should be answered",
  "elected twice": "the second own probe that comes home elects again",
} as const;

export type HsSlip = keyof typeof HS_SLIPS;

type Effects = readonly Effect<HsMessage>[];

export class Hs implements Process<HsMessage> {
  readonly #id: number;
  readonly #slip: HsSlip | null;
  #asleep = true;
  #phase = 0;
  /** The side that has replied in this phase. */
  #replied: Way | null = null;
  #leads = false;

  constructor(id: number, slip: HsSlip | null = null) {
    this.#id = id;
    this.#slip = slip;
  }

  step(input: Input<HsMessage>): Effects {
    if (input.kind === "begin") return this.#wake();
    if (input.kind !== "message") return NOTHING;
    const { message, way } = input;
    switch (message.kind) {
      case "probe":
        return this.#asleep ? [...this.#wake(), ...this.#probed(message, way)] : this.#probed(message, way);
      case "reply":
        return this.#answered(message, way);
      case "elected":
        return message.id === this.#id ? NOTHING : believe(message);
    }
  }

  #wake(): Effects {
    if (!this.#asleep) return NOTHING;
    this.#asleep = false;
    return this.#probe("on", "back"); // (4)
  }

  #probed(message: Probe, way: Way): Effects {
    const { id, phase, distance } = message;
    if (id < this.#id) return NOTHING;
    if (id === this.#id) return this.#home(); // (6)
    const far = this.#slip === "one hop too far" ? 2 ** phase + 1 : 2 ** phase;
    return distance < far
      ? [pass(way, { kind: "probe", id, phase, distance: distance + 1 })] // (8)
      : [pass(opposite(way), { kind: "reply", id, phase })]; // (10)
  }

  #home(): Effects {
    if (this.#leads && this.#slip !== "elected twice") return NOTHING;
    this.#leads = true;
    return [{ kind: "lead" }, pass("on", { kind: "elected", id: this.#id })];
  }

  #answered(message: Reply, way: Way): Effects {
    if (message.id !== this.#id) return [pass(way, message)]; // (12)
    if (message.phase !== this.#phase || this.#replied === way) return NOTHING;
    if (this.#replied === null && this.#slip !== "one reply") {
      this.#replied = way;
      return NOTHING;
    }
    this.#phase += 1; // (14)
    this.#replied = null;
    return this.#slip === "one side" ? this.#probe("on") : this.#probe("on", "back"); // (15)
  }

  #probe(...ways: readonly Way[]): Effects {
    const probe = { kind: "probe", id: this.#id, phase: this.#phase, distance: 1 } as const;
    return ways.map((way) => pass(way, probe));
  }
}

const opposite = (way: Way): Way => (way === "on" ? "back" : "on");

const pass = (way: Way, message: HsMessage): Effect<HsMessage> => ({
  kind: way === "on" ? "pass on" : "pass back",
  message,
});
