/**
 * The writes that this server has handed to a leader and not seen delivered, oldest first.
 *
 * A leader takes them in order, so they are delivered in order: the one delivered is always the oldest. What
 * is left when a new leader has been found was lost with the old one and can be handed over again.
 */

import { assert } from "../core/assert.ts";
import type { Inquiry } from "./replica-protocol.ts";

export interface PendingWrite<Tag> {
  readonly sequence: number;
  readonly question: Inquiry<Tag> & { readonly kind: "write" };
}

export class PendingWrites<Tag> {
  readonly #writes: PendingWrite<Tag>[] = [];
  #first = 0;
  #givenUp = -1;

  push(write: PendingWrite<Tag>): void {
    this.#writes.push(write);
  }

  /**
   * The oldest, which must be the one of this sequence, is done. Null when its client was told "unknown"
   * before.
   */
  take(sequence: number): PendingWrite<Tag> | null {
    if (sequence <= this.#givenUp) return null;
    const write = this.#writes[this.#first];
    assert(write !== undefined, () => `write ${sequence} was delivered twice, or never asked for`);
    assert(
      write.sequence === sequence,
      () => `write ${sequence} was delivered before write ${write.sequence}`,
    );
    this.#first += 1;
    if (this.#first >= COMPACT_AT && this.#first * 2 >= this.#writes.length) {
      this.#writes.splice(0, this.#first);
      this.#first = 0;
    }
    return write;
  }

  /** All are given up: they may be delivered yet, or never. */
  giveUp(): readonly PendingWrite<Tag>[] {
    const all = this.all();
    this.#givenUp = all.at(-1)?.sequence ?? this.#givenUp;
    this.#writes.length = 0;
    this.#first = 0;
    return all;
  }

  all(): readonly PendingWrite<Tag>[] {
    return this.#writes.slice(this.#first);
  }
}

const COMPACT_AT = 256;
