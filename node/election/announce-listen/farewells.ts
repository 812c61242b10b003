/**
 * Lives that have said Bye. What still arrives of them is a ghost's, and nobody follows it.
 *
 * A life is named by its member and its number, so the same member may come back with another. What is
 * remembered has a bound, for anybody may say Bye in any name.
 */

import type { MemberId } from "../../core/identity.ts";

export class Farewells {
  readonly #ended: Set<number>;

  constructor(ended: Iterable<number> = []) {
    this.#ended = new Set(ended);
  }

  add(member: MemberId, life: number): void {
    this.#ended.add(nameOf(member, life));
    if (this.#ended.size <= MOST) return;
    for (const oldest of this.#ended) {
      this.#ended.delete(oldest);
      return;
    }
  }

  has(member: MemberId, life: number): boolean {
    return this.#ended.size > 0 && this.#ended.has(nameOf(member, life));
  }
}

/** 16 and 32 bits: exact. */
const nameOf = (member: MemberId, life: number): number => member * 2 ** 32 + life;

const MOST = 4096;
