/**
 * What one client has asked for and not been answered yet, in its order.
 *
 * Answers leave in the order of the questions. Writes go to the leader as soon as they are asked, many under
 * way; a read waits until every write before it is executed here, so that a client sees its own writes; a
 * sync is waited for by everything behind it. An answer that is known already waits for its turn alone.
 */

import { Fifo } from "../core/fifo.ts";
import type { Inquiry } from "./replica-protocol.ts";

export class ClientQueue<Tag> {
  readonly #asked = new Fifo<Inquiry<Tag>>();
  /** How many from the first have been submitted and wait for the leader, with known ones between. */
  #submitted = 0;

  get isEmpty(): boolean {
    return this.#asked.length === 0;
  }

  get length(): number {
    return this.#asked.length;
  }

  ask(question: Inquiry<Tag>): void {
    this.#asked.push(question);
  }

  /** The oldest unanswered question. */
  first(): Inquiry<Tag> | undefined {
    return this.#asked.at(0);
  }

  /** The oldest question is answered. */
  answered(): void {
    this.#asked.shift();
    if (this.#submitted > 0) this.#submitted -= 1;
  }

  /**
   * The next question that may be submitted: a write behind nothing but submitted writes, a sync behind
   * nothing at all. Null while the next one has to wait, or is none of these.
   */
  submit(): (Inquiry<Tag> & { readonly kind: "write" | "sync" }) | null {
    while (this.#submitted > 0 && this.#asked.at(this.#submitted)?.kind === "known") this.#submitted += 1;
    const next = this.#asked.at(this.#submitted);
    if (next === undefined || next.kind === "read" || next.kind === "known") return null;
    if (this.#submitted > 0 && (next.kind === "sync" || this.first()?.kind === "sync")) return null;
    this.#submitted += 1;
    return next;
  }

  /** The oldest question, when this server answers it alone and nothing holds it back. */
  answerable(): (Inquiry<Tag> & { readonly kind: "read" | "known" }) | null {
    const first = this.first();
    return first?.kind === "read" || first?.kind === "known" ? first : null;
  }
}
