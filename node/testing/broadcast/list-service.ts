/**
 * The service of small worlds: the list of what was executed, which is all that an atomic broadcast is about.
 */

import { assert } from "../../core/assert.ts";
import type { Snapshot } from "../../core/machine.ts";
import type { TimeOfDay } from "../../core/time.ts";
import type { Transaction } from "../../core/transaction.ts";
import { type Zxid, ZERO } from "../../core/zxid.ts";
import type { Application } from "../../broadcast/broadcast.ts";

/** What one transaction left behind: its zxid, its time of day and the number of the write. */
export interface Executed {
  readonly zxid: Zxid;
  readonly time: TimeOfDay;
  readonly origin: number;
  readonly write: number;
}

const EXECUTED_NUMBERS = 4;

export class ListService implements Application {
  executed: Executed[] = [];
  applied: Zxid = ZERO;
  /** Snapshots that are read at the moment. */
  open = 0;
  readonly #perChunk: number;

  constructor(perChunk: number) {
    this.#perChunk = perChunk;
  }

  get time(): TimeOfDay {
    return this.executed.at(-1)?.time ?? (0 as TimeOfDay);
  }

  deliver({ zxid, time, ticket }: Transaction): void {
    this.executed.push({ zxid, time, origin: ticket.origin, write: ticket.sequence });
    this.applied = zxid;
  }

  snapshot(): Snapshot {
    const numbers = this.executed.flatMap(({ zxid, time, origin, write }) => [zxid, time, origin, write]);
    const size = this.#perChunk * EXECUTED_NUMBERS;
    let place = 0;
    let closed = false;
    this.open += 1;
    return {
      zxid: this.applied,
      next: () => {
        assert(!closed, "a closed snapshot is read");
        if (place >= numbers.length) return null;
        const chunk = Float64Array.from(numbers.slice(place, place + size));
        place += size;
        return new Uint8Array(chunk.buffer);
      },
      close: () => {
        if (!closed) this.open -= 1;
        closed = true;
      },
    };
  }

  restore(zxid: Zxid) {
    const executed: Executed[] = [];
    return {
      accept: (chunk: Uint8Array) => {
        if (chunk.length % (8 * EXECUTED_NUMBERS) !== 0) return `a chunk of ${chunk.length} bytes`;
        const numbers = new Float64Array(chunk.slice().buffer);
        for (let at = 0; at < numbers.length; at += EXECUTED_NUMBERS) {
          const [z, time, origin, write] = numbers.slice(at, at + EXECUTED_NUMBERS);
          executed.push({
            zxid: z as Zxid,
            time: time as TimeOfDay,
            origin: origin ?? 0,
            write: write ?? 0,
          });
        }
        return null;
      },
      finish: () => {
        this.executed = executed;
        this.applied = zxid;
        return null;
      },
    };
  }
}
