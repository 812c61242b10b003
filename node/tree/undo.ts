/**
 * How a change of several parts is taken back: every part writes down its own undoing, and they are done last
 * first.
 *
 * Only a `multi` needs it, for only a `multi` changes something before it knows whether all of it may be
 * done. Outside of one nothing is written down.
 */
export class Undo {
  #undo: (() => void)[] | null = null;

  get isOpen(): boolean {
    return this.#undo !== null;
  }

  open(): void {
    this.#undo = [];
  }

  /** Called with what is about to be changed still as it was. */
  note(undo: () => void): void {
    this.#undo?.push(undo);
  }

  keep(): void {
    this.#undo = null;
  }

  rollBack(): void {
    const undo = this.#undo ?? [];
    this.#undo = null;
    for (let last = undo.pop(); last !== undefined; last = undo.pop()) last();
  }
}
