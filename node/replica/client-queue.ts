/**
 * What one client has asked for and not been answered yet, in its order.
 *
 * Answers leave in the order of the questions. Writes go to the leader as soon as they are asked, many under
 * way; a read waits until every write before it is executed here, so that a client sees its own writes; a
 * sync is waited for by everything behind it.
 */

import { Fifo } from "../core/fifo.ts";

export type Asked =
  | { readonly kind: "write"; readonly id: number; readonly payload: Uint8Array }
  | { readonly kind: "read"; readonly id: number; readonly query: Uint8Array }
  | { readonly kind: "sync"; readonly id: number };

export class ClientQueue {
  readonly #asked = new Fifo<Asked>();
  /** How many from the first have been submitted, and wait for the leader. */
  #submitted = 0;

  get isEmpty(): boolean {
    return this.#asked.length === 0;
  }

  get length(): number {
    return this.#asked.length;
  }

  ask(asked: Asked): void {
    this.#asked.push(asked);
  }

  /** The oldest unanswered question. */
  first(): Asked | undefined {
    return this.#asked.at(0);
  }

  /** The oldest question is answered. */
  answered(): void {
    this.#asked.shift();
    if (this.#submitted > 0) this.#submitted -= 1;
  }

  /**
   * The next question that may be submitted: a write behind nothing but submitted writes, a sync behind
   * nothing at all. Null while the next one has to wait, or is a read (which is never submitted).
   */
  submit(): Asked | null {
    const next = this.#asked.at(this.#submitted);
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
