/**
 * A queue that is left at the front: what was taken is forgotten in one go now and then, so that a long queue
 * costs no more per item than a short one.
 */

export class Fifo<T> {
  #items: T[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The `index`-th from the front, without taking it. */
  at(index: number): T | undefined {
    return this.#items[this.#first + index];
  }

  shift(): T | undefined {
    if (this.#first === this.#items.length) return undefined;
    const item = this.#items[this.#first];
    this.#first += 1;
    if (this.#first === this.#items.length) {
      this.#items.length = 0;
      this.#first = 0;
    } else if (this.#first >= COMPACT_AT && this.#first * 2 >= this.#items.length) {
      this.#items.splice(0, this.#first);
      this.#first = 0;
    }
    return item;
  }

  /** Before all that waits. */
  unshift(items: readonly T[]): void {
    this.#items.splice(0, this.#first, ...items);
    this.#first = 0;
  }

  /** All of it, in order; the queue is empty then. */
  take(): T[] {
    const items = this.#first === 0 ? this.#items : this.#items.slice(this.#first);
    this.#items = [];
    this.#first = 0;
    return items;
  }
}

/** Below this many taken items it is not worth moving the rest. */
const COMPACT_AT = 64;
