/**
 * Promises between virtual time and code that is written with them: whoever keeps or makes one says so, and
 * time goes on when all that comes of them is done.
 */
export class Settling {
  #noted = false;

  note(): void {
    this.#noted = true;
  }

  /** Null when nothing was noted since it was asked last. */
  settled(): Promise<void> | null {
    if (!this.#noted) return null;
    this.#noted = false;
    // What is queued as a promise is done before the next immediate.
    return new Promise((resolve) => setImmediate(resolve));
  }
}
