/**
 * Which cells are with whom. Who is gone gives back what it had; at the end, when nothing else is left, who
 * has time gets a second copy of what another still has. So a cell may be run twice, and then both outcomes
 * are held against each other.
 */

import type { Cell } from "../cell.ts";
import { outcomeOf, type Row } from "../row.ts";

/** What came of a row: news, what was known already, or something else than was known. */
export type Delivery = "first" | "same" | "unasked" | { readonly before: Row };

interface Given {
  readonly cell: Cell;
  readonly holders: Set<string>;
  /** Who had it and was taken for gone: what they bring all the same is compared. */
  readonly late: Set<string>;
  copies: number;
  /** Of who was first, while others are still at it. */
  row: Row | null;
}

export class Ledger {
  readonly #left: Iterator<Cell>;
  readonly #idOf: (cell: Cell) => string;
  readonly #given = new Map<string, Given>();
  readonly #returned: string[] = [];
  /** The one that nobody has had; null when there is none. */
  #next: Cell | null;
  #open = 0;

  constructor(cells: Iterable<Cell>, idOf: (cell: Cell) => string) {
    this.#left = cells[Symbol.iterator]();
    this.#idOf = idOf;
    this.#next = this.#drawn();
  }

  /** Every cell has come to something, or has been given up. */
  get isDone(): boolean {
    return this.#next === null && this.#open === 0;
  }

  /** Not yet done, with whom they may be. */
  get open(): number {
    return this.#open;
  }

  take(who: string, count: number): readonly Cell[] {
    const taken: Cell[] = [];
    while (taken.length < count) {
      const given = this.#back() ?? this.#fresh() ?? this.#copy(who);
      if (given === null) break;
      given.holders.add(who);
      given.copies += 1;
      taken.push(given.cell);
    }
    return taken;
  }

  deliver(who: string, row: Row): Delivery {
    const given = this.#given.get(row.id);
    if (given === undefined) return "unasked";
    const isHolder = given.holders.delete(who) || given.late.delete(who);
    const before = given.row;
    if (before === null) {
      given.row = row;
      this.#open -= 1;
      this.#forget(row.id, given);
      return "first";
    }
    this.#forget(row.id, given);
    if (!isHolder) return "unasked";
    return outcomeOf(before) === outcomeOf(row) ? "same" : { before };
  }

  /** It could not be carried out, and nobody tries it again; null when others are still at it. */
  giveUp(who: string, id: string): Cell | null {
    const given = this.#given.get(id);
    if (given === undefined || !given.holders.delete(who) || given.row !== null || given.holders.size > 0)
      return null;
    this.#given.delete(id);
    this.#open -= 1;
    return given.cell;
  }

  /** Who is gone: what it alone had is given out again, and so many cells that is. */
  release(who: string): number {
    let count = 0;
    for (const [id, given] of this.#given) {
      if (!given.holders.delete(who)) continue;
      given.late.add(who);
      given.copies -= 1;
      if (given.holders.size > 0 || given.row !== null) continue;
      this.#returned.push(id);
      count += 1;
    }
    return count;
  }

  #back(): Given | null {
    for (let id = this.#returned.shift(); id !== undefined; id = this.#returned.shift()) {
      const given = this.#given.get(id);
      // It may have come all the same, from who was taken for gone.
      if (given !== undefined && given.row === null) return given;
    }
    return null;
  }

  #fresh(): Given | null {
    const cell = this.#next;
    if (cell === null) return null;
    this.#next = this.#drawn();
    const given: Given = { cell, holders: new Set(), late: new Set(), copies: 0, row: null };
    this.#given.set(this.#idOf(cell), given);
    this.#open += 1;
    return given;
  }

  #drawn(): Cell | null {
    const next = this.#left.next();
    return next.done === true ? null : next.value;
  }

  /** Of what has been out for longest. */
  #copy(who: string): Given | null {
    for (const given of this.#given.values())
      if (given.row === null && given.copies < MOST_COPIES && !given.holders.has(who)) return given;
    return null;
  }

  #forget(id: string, given: Given): void {
    if (given.holders.size === 0 && given.late.size === 0) this.#given.delete(id);
  }
}

/** Of those who are there. */
const MOST_COPIES = 2;
