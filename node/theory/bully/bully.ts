/**
 * Bully, to the letter: all know all ids, every message takes at most one unit, and the greatest that lives
 * leads.
 *
 *   who finds the coordinator failed
 *     and knows that its id is the highest: sends Coordinator to all lower                       (1)
 *     else sends Election to all higher; without an answer in time it sends Coordinator          (2)
 *       with an answer it waits for Coordinator, and begins anew when none comes                 (3)
 *   who receives an Election answers OK and begins too, unless it has already done so            (4)
 *
 * An answer takes two units, and Coordinator is there two units after an OK at the latest: so long are the
 * two timeouts. `known` says who is known to be dead: nobody, to the letter, or all that are, who are then
 * not asked and not waited for.
 *
 * By (4) the lecture leaves alone who asks when the coordinator has spoken already: it gets its OK, and
 * begins anew for ever. With `again` the coordinator says Coordinator once more.
 */

import { type Effect, type Input, NOTHING, type Process } from "../process.ts";

export interface BullyMessage {
  readonly kind: "Election" | "OK" | "Coordinator";
  readonly id: number;
}

export const BULLY_SLIPS = {
  "ok not awaited": "an OK is taken for consent: who gets one is silent for ever",
  "answers only": "who receives an Election answers, and does not begin itself",
  "begins again": "who receives an Election begins, though it has already done so",
  "coordinator before the answer": "who asks does not wait for answers",
} as const;

export type BullySlip = keyof typeof BULLY_SLIPS;

export interface BullyOptions {
  /** Ids that are known to be dead. */
  readonly known: ReadonlySet<number>;
  readonly again: boolean;
  readonly slip?: BullySlip | null;
}

const ANSWER = 2;
const COORDINATOR = 2;

type Effects = readonly Effect<BullyMessage>[];

export class Bully implements Process<BullyMessage> {
  readonly #id: number;
  readonly #size: number;
  readonly #options: BullyOptions;
  #phase: "idle" | "asking" | "waiting" | "following" | "leading" = "idle";

  /** Ids are 1 to `size`, at places 0 to `size - 1`. */
  constructor(id: number, size: number, options: BullyOptions) {
    this.#id = id;
    this.#size = size;
    this.#options = options;
  }

  step(input: Input<BullyMessage>): Effects {
    switch (input.kind) {
      case "begin":
        return this.#phase === "asking" || this.#phase === "waiting" ? NOTHING : this.#begin();
      case "timeout":
        return input.timer === "answer" ? this.#lead() : this.#begin();
      case "message":
        return this.#hear(input.message);
      case "round":
        return NOTHING;
    }
  }

  #begin(): Effects {
    const higher = this.#ids(this.#id + 1, this.#size);
    if (higher.length === 0) return this.#lead(); // (1)
    const ask: Effects = [{ kind: "send", to: higher, message: { kind: "Election", id: this.#id } }]; // (2)
    if (this.#options.slip === "coordinator before the answer") return [...ask, ...this.#lead()];
    this.#phase = "asking";
    return [...ask, { kind: "arm", timer: "answer", after: ANSWER }];
  }

  #lead(): Effects {
    this.#phase = "leading";
    return [{ kind: "lead" }, ...this.#announce()];
  }

  #announce(): Effects {
    const lower = this.#ids(1, this.#id - 1);
    return lower.length === 0
      ? []
      : [{ kind: "send", to: lower, message: { kind: "Coordinator", id: this.#id } }];
  }

  #hear(message: BullyMessage): Effects {
    switch (message.kind) {
      case "Election": {
        const ok = this.#tell(message.id, "OK");
        if (this.#phase === "leading" && this.#options.again)
          return [ok, this.#tell(message.id, "Coordinator")];
        if (this.#options.slip === "answers only") return [ok];
        return this.#phase === "idle" || this.#options.slip === "begins again"
          ? [ok, ...this.#begin()]
          : [ok]; // (4)
      }
      case "OK":
        if (this.#phase !== "asking") return NOTHING;
        this.#phase = "waiting";
        return this.#options.slip === "ok not awaited"
          ? [{ kind: "disarm", timer: "answer" }]
          : [
              { kind: "disarm", timer: "answer" },
              { kind: "arm", timer: "coordinator", after: COORDINATOR }, // (3)
            ];
      case "Coordinator":
        this.#phase = "following";
        return [
          { kind: "disarm", timer: "answer" },
          { kind: "disarm", timer: "coordinator" },
          { kind: "follow", leader: message.id },
        ];
    }
  }

  #tell(id: number, kind: BullyMessage["kind"]): Effect<BullyMessage> {
    return { kind: "send", to: [id - 1], message: { kind, id: this.#id } };
  }

  /** Places of these ids, without those known to be dead. */
  #ids(from: number, to: number): readonly number[] {
    const ids = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
    return ids.filter((id) => !this.#options.known.has(id)).map((id) => id - 1);
  }
}
