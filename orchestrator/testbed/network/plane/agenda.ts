/**
 * What is due when: a binary heap of numbered things ordered by time, in two typed arrays that never grow,
 * because the plane must not wait for a garbage collector while packets are due.
 */

export class Agenda {
  readonly #due: Float64Array;
  readonly #thing: Int32Array;
  #size = 0;

  constructor(capacity: number) {
    this.#due = new Float64Array(capacity + 1);
    this.#thing = new Int32Array(capacity + 1);
  }

  get size(): number {
    return this.#size;
  }

  /** When the first thing is due; Infinity when nothing is. */
  get first(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#due[1] as number);
  }

  add(due: number, thing: number): void {
    this.#size += 1;
    let at = this.#size;
    while (at > 1) {
      const parent = at >> 1;
      if ((this.#due[parent] as number) <= due) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#due[at] = due;
    this.#thing[at] = thing;
  }

  /** Takes the first thing out. There must be one. */
  take(): number {
    const taken = this.#thing[1] as number;
    const due = this.#due[this.#size] as number;
    const thing = this.#thing[this.#size] as number;
    this.#size -= 1;
    let at = 1;
    for (;;) {
      let child = at * 2;
      if (child > this.#size) break;
      if (child < this.#size && (this.#due[child + 1] as number) < (this.#due[child] as number)) child += 1;
      if ((this.#due[child] as number) >= due) break;
      this.#move(child, at);
      at = child;
    }
    this.#due[at] = due;
    this.#thing[at] = thing;
    return taken;
  }

  #move(from: number, to: number): void {
    this.#due[to] = this.#due[from] as number;
    this.#thing[to] = this.#thing[from] as number;
  }
}
