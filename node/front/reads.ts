/**
 * Reads that are asked one at a time, for only its answer tells how much room one leaves to the next in this
 * turn. Those who ask one thing at a time come first; the others take turns.
 */

import { Fifo } from "../core/fifo.ts";
import type { ClientId } from "../core/identity.ts";
import type { Balance } from "./balance.ts";
import type { Ask } from "./front-protocol.ts";

type Read = Extract<Ask, { kind: "read" }>;

export class Reads {
  readonly #single = new Fifo<Read>();
  readonly #more = new Fifo<Read>();

  /** `asksMore`: its client has another question at hand. */
  add(read: Read, asksMore: boolean): void {
    (asksMore ? this.#more : this.#single).push(read);
  }

  /** The next one of a client that is still there, if the turn has room for it. */
  next(balance: Balance, clients: { has(client: ClientId): boolean }): Read | undefined {
    for (;;) {
      const asksMore = this.#single.length === 0;
      const reads = asksMore ? this.#more : this.#single;
      const read = balance.turnHasRoom(asksMore) ? reads.shift() : undefined;
      if (read === undefined || clients.has(read.client)) return read;
    }
  }
}
