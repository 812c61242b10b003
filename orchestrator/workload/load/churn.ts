/**
 * What comes and goes: the oldest that is surely there is deleted, and where there is none, something new is
 * created. So there are as many creations as deletions in the long run, whatever is under way at once, and in
 * whichever order it is done.
 */

export interface Change {
  readonly kind: "create" | "delete";
  readonly name: number;
}

export class Churn {
  #next: number;
  readonly #there: number[] = [];

  /** Names count up from the first, which no earlier load has used. */
  constructor(first: number) {
    this.#next = first;
  }

  next(): Change {
    const oldest = this.#there.shift();
    return oldest === undefined ? { kind: "create", name: this.#next++ } : { kind: "delete", name: oldest };
  }

  done({ kind, name }: Change): void {
    if (kind === "create") this.#there.push(name);
  }
}
