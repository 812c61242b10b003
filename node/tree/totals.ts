/**
 * How much there is at and below each znode, without looking: every row keeps its total, and whatever changes
 * is added all the way up. So a question for the children of a large tree, and a quota that begins to count,
 * cost as much as the path is deep.
 */

import type { Undo } from "./undo.ts";

type Row = number;

export interface Total {
  readonly znodes: number;
  /** Of data. */
  readonly bytes: number;
}

export class Totals {
  readonly #undo: Undo;
  #parents = new Int32Array(16);
  #znodes = new Int32Array(16);
  #bytes = new Float64Array(16);

  constructor(undo: Undo) {
    this.#undo = undo;
  }

  of(row: Row): Total {
    return { znodes: this.#znodes[row] as number, bytes: this.#bytes[row] as number };
  }

  /** A znode without data, not yet below any other. */
  begin(row: Row): void {
    while (row >= this.#parents.length) this.#extend();
    this.#set(row, NONE, 1, 0);
  }

  /** The row comes below the other, with all that is below it. */
  link(row: Row, parent: Row): void {
    this.#parents[row] = parent;
    this.#add(parent, this.of(row), 1);
    this.#undo.note(() => {
      this.#add(parent, this.of(row), -1);
      this.#parents[row] = NONE;
    });
  }

  /** The row goes. */
  unlink(row: Row): void {
    const parent = this.#parents[row] as number;
    const total = this.of(row);
    this.#add(parent, total, -1);
    this.#parents[row] = NONE;
    this.#undo.note(() => {
      this.#set(row, parent, total.znodes, total.bytes);
      this.#add(parent, total, 1);
    });
  }

  /** So many bytes more; whoever takes that back says it again. */
  grow(row: Row, bytes: number): void {
    if (bytes !== 0) this.#add(row, { znodes: 0, bytes }, 1);
  }

  #add(from: Row, { znodes, bytes }: Total, times: 1 | -1): void {
    for (let row = from; row !== NONE; row = this.#parents[row] as number) {
      this.#znodes[row] = (this.#znodes[row] as number) + times * znodes;
      this.#bytes[row] = (this.#bytes[row] as number) + times * bytes;
    }
  }

  #set(row: Row, parent: Row, znodes: number, bytes: number): void {
    this.#parents[row] = parent;
    this.#znodes[row] = znodes;
    this.#bytes[row] = bytes;
  }

  #extend(): void {
    const [parents, znodes, bytes] = [this.#parents, this.#znodes, this.#bytes];
    this.#parents = new Int32Array(parents.length * 2);
    this.#znodes = new Int32Array(parents.length * 2);
    this.#bytes = new Float64Array(parents.length * 2);
    this.#parents.set(parents);
    this.#znodes.set(znodes);
    this.#bytes.set(bytes);
  }
}

const NONE: Row = -1;
