/**
 * Which containers and znodes with a time to live may have outlived their use, without looking at all of
 * them.
 *
 * Each candidate waits for its time in a heap: a container since it lost its last child, a znode with a time
 * to live for its end. What happens to a candidate meanwhile need not be told here: when its time has come,
 * whoever asks looks at the znode itself, and notes it again if its time is later now. So nothing is lost as
 * long as everything is noted that may perish sooner than was noted before.
 */

import { CONTAINER, NO_ROW, type Nodes, type Row, timeToLive } from "./nodes.ts";

/** The first millisecond in which it is to go, or null when nothing but its use decides. */
export function perishesAt(nodes: Nodes, row: Row): number | null {
  if (row === NO_ROW || nodes.childCount(row) > 0) return null;
  const owner = nodes.owner(row);
  if (owner > CONTAINER) return null;
  if (owner === CONTAINER) return nodes.creations(row) > 0 ? 0 : null;
  return nodes.mtime(row) + timeToLive(owner) + 1;
}

interface Entry {
  readonly due: number;
  readonly path: string;
}

export class Perishables {
  readonly #due = new Map<string, number>();
  /** A binary heap, soonest first; an entry counts while the map says the same. */
  #heap: Entry[] = [];

  get size(): number {
    return this.#due.size;
  }

  note(path: string, due: number): void {
    if (this.#due.get(path) === due) return;
    this.#due.set(path, due);
    if (this.#heap.length > 2 * this.#due.size + SLACK) this.#tidy();
    else this.#push({ due, path });
  }

  forget(path: string): void {
    this.#due.delete(path);
  }

  /** Candidates whose time has come; each is forgotten as it is named. */
  *upTo(time: number): Generator<string> {
    for (let [first] = this.#heap; first !== undefined && first.due <= time; [first] = this.#heap) {
      this.#pop();
      if (this.#due.get(first.path) !== first.due) continue;
      this.#due.delete(first.path);
      yield first.path;
    }
  }

  /** A sorted array is a heap, too. */
  #tidy(): void {
    this.#heap = [...this.#due].map(([path, due]) => ({ path, due })).sort((a, b) => a.due - b.due);
  }

  #push(entry: Entry): void {
    let hole = this.#heap.push(entry) - 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = this.#heap[parent] as Entry;
      if (above.due <= entry.due) break;
      this.#heap[hole] = above;
      hole = parent;
    }
    this.#heap[hole] = entry;
  }

  #pop(): void {
    const last = this.#heap.pop() as Entry;
    const size = this.#heap.length;
    if (size === 0) return;
    let hole = 0;
    for (let child = 1; child < size; child = 2 * hole + 1) {
      const [left, right] = [this.#heap[child] as Entry, this.#heap[child + 1]];
      const isRight = right !== undefined && right.due < left.due;
      const sooner = isRight ? right : left;
      if (last.due <= sooner.due) break;
      this.#heap[hole] = sooner;
      hole = isRight ? child + 1 : child;
    }
    this.#heap[hole] = last;
  }
}

/** Entries of no effect that may be kept in any case. */
const SLACK = 64;
