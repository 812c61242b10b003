/**
 * What the smallest difference is worth: in rounds, with known n, everybody says its name and passes on what
 * it hears, until it has seen the whole ring. Who sees the greatest, reading from itself, leads, if nobody
 * else sees the same.
 *
 * When all have one name, all see the same ring: nobody leads, and each knows that nobody ever will. One
 * other name is enough, and so is any ring that does not repeat itself on the way round.
 */

import { type Effect, type Input, NOTHING, type Process } from "../process.ts";

export interface NameMessage {
  readonly kind: "name";
  readonly name: number;
}

export class Names implements Process<NameMessage> {
  readonly #name: number;
  readonly #size: number;
  /** From this process on against the direction of travel. */
  readonly #seen: number[];

  constructor(name: number, size: number) {
    this.#name = name;
    this.#size = size;
    this.#seen = [name];
  }

  step(input: Input<NameMessage>): readonly Effect<NameMessage>[] {
    if (input.kind === "round") {
      return input.number === 1
        ? [{ kind: "pass on", message: { kind: "name", name: this.#name } }]
        : NOTHING;
    }
    if (input.kind !== "message") return NOTHING;
    this.#seen.push(input.message.name);
    return this.#seen.length < this.#size ? [{ kind: "pass on", message: input.message }] : this.#decide();
  }

  #decide(): readonly Effect<NameMessage>[] {
    const views = this.#seen.map((_, from) => [...this.#seen.slice(from), ...this.#seen.slice(0, from)]);
    const ranked = views
      .map((view, back) => ({ view, back }))
      .sort((one, other) => compare(other.view, one.view) || one.back - other.back);
    const [first, second] = ranked;
    if (first === undefined || (second !== undefined && compare(first.view, second.view) === 0))
      return NOTHING;
    return first.back === 0 ? [{ kind: "lead" }] : [{ kind: "follow", leader: first.view[0] as number }];
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((name, index) => name !== other[index]);
  return at === -1 ? 0 : (one[at] as number) - (other[at] as number);
}
