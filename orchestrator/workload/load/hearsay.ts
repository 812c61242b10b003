/**
 * Writes that count when their watcher has heard of them: each client watches what its neighbour writes, at
 * another server where there are several, and a write is done when it is acknowledged and its watcher told.
 *
 * Watchers are told once of each write, and in order, so the n-th news of a client is that of its n-th write,
 * as far as writes are acknowledged in order; where they are not, two that were under way at once may be
 * taken for each other, which changes no count.
 */

interface Writer {
  /** Acknowledged, and its watcher has not heard of it yet. */
  readonly waiting: (() => void)[];
  /** So many more news than acknowledgements. */
  ahead: number;
}

export class Hearsay {
  readonly #writers: readonly Writer[];

  constructor(clients: number) {
    this.#writers = Array.from({ length: clients }, () => ({ waiting: [], ahead: 0 }));
  }

  /** Whom this client watches. */
  watchedBy(client: number): number {
    return (client + 1) % this.#writers.length;
  }

  /** A write of this client is acknowledged; `done` when its watcher has heard of it, too. */
  acknowledged(client: number, done: () => void): void {
    const writer = this.#writers[client] as Writer;
    if (writer.ahead === 0) return void writer.waiting.push(done);
    writer.ahead -= 1;
    done();
  }

  /** The watcher of this client was told of a write. */
  told(client: number): void {
    const writer = this.#writers[client] as Writer;
    const done = writer.waiting.shift();
    if (done === undefined) writer.ahead += 1;
    else done();
  }
}
