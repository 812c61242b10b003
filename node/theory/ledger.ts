/** What whoever carries messages writes down: how many of each kind, and who decided when. */

import type { Effect, Message } from "./process.ts";
import type { Decision, Followed, Outcome } from "./outcome.ts";

interface Counter {
  readonly kind: string;
  count: number;
}

export class Ledger {
  readonly #ids: readonly number[];
  readonly #counters: Counter[] = [];
  readonly #leaders: Decision[] = [];
  readonly #followed: (Followed | null)[];
  /** Of the message before this one, mostly also of this one. */
  #last: Counter = { kind: "", count: 0 };
  carried = 0;
  undecided: number;

  constructor(ids: readonly number[]) {
    this.#ids = ids;
    this.#followed = ids.map(() => null);
    this.undecided = ids.length;
  }

  count({ kind }: Message): void {
    if (this.#last.kind !== kind) this.#last = this.#counterOf(kind);
    this.#last.count += 1;
    this.carried += 1;
  }

  decide(place: number, effect: Extract<Effect<Message>, { kind: "lead" | "follow" }>, at: number): void {
    const leads = effect.kind === "lead";
    if (leads && !this.#leaders.some((one) => one.place === place)) this.#leaders.push({ place, at });
    if (this.#followed[place] !== null) return;
    this.#followed[place] = { leader: leads ? (this.#ids[place] as number) : effect.leader, at };
    this.undecided -= 1;
  }

  close(quietAt: number, ended: Outcome["ended"]): Outcome {
    return {
      messages: new Map(this.#counters.map(({ kind, count }) => [kind, count])),
      leaders: this.#leaders,
      followed: this.#followed,
      undecided: this.undecided,
      quietAt,
      ended,
    };
  }

  #counterOf(kind: string): Counter {
    const known = this.#counters.find((counter) => counter.kind === kind);
    if (known !== undefined) return known;
    const fresh = { kind, count: 0 };
    this.#counters.push(fresh);
    return fresh;
  }
}
