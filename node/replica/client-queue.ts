/**
 * What one client has asked for and not been answered yet, in its order.
 *
 * Answers leave in the order of the questions. Writes go to the leader as soon as they are asked, many under
 * way; a read waits until every write before it is executed here, so that a client sees its own writes; a
 * sync is waited for by everything behind it.
 */

export type Asked =
  | { readonly kind: "write"; readonly id: number; readonly payload: Uint8Array }
  | { readonly kind: "read"; readonly id: number; readonly query: Uint8Array }
  | { readonly kind: "sync"; readonly id: number };

export class ClientQueue {
  readonly #asked: Asked[] = [];
  #first = 0;
  /** How many from the first have been submitted, and wait for the leader. */
  #submitted = 0;

  get isEmpty(): boolean {
    return this.#first === this.#asked.length;
  }

  get length(): number {
    return this.#asked.length - this.#first;
  }

  ask(asked: Asked): void {
    this.#asked.push(asked);
  }

  /** The oldest unanswered question. */
  first(): Asked | undefined {
    return this.#asked[this.#first];
  }

  /** The oldest question is answered. */
  answered(): void {
    this.#first += 1;
    if (this.#submitted > 0) this.#submitted -= 1;
    if (this.#first >= COMPACT_AT && this.#first * 2 >= this.#asked.length) {
      this.#asked.splice(0, this.#first);
      this.#first = 0;
    }
  }

  /**
   * The next question that may be submitted: a write behind nothing but submitted writes, a sync behind
   * nothing at all. Null while the next one has to wait, or is a read (which is never submitted).
   */
  submit(): Asked | null {
    const next = this.#asked[this.#first + this.#submitted];
    if (next === undefined || next.kind === "read") return null;
    if (this.#submitted > 0 && (next.kind === "sync" || this.first()?.kind === "sync")) return null;
    this.#submitted += 1;
    return next;
  }

  /** The oldest question, when it is a read that nothing holds back. */
  readable(): Asked | null {
    const first = this.first();
    return first?.kind === "read" ? first : null;
  }
}

/** Below this many answered questions it is not worth moving the rest. */
const COMPACT_AT = 64;
