/**
 * Locks: one holder at a time, or many readers and one writer. Who holds one is told when the connection is
 * lost, because its session may end without its knowing; whatever the lock protects should turn away tokens
 * that are less than one it has seen.
 */

import type { Client } from "./client.ts";
import { type Blocks, Line } from "./line.ts";

export interface Held {
  /** Greater than that of every holder before. */
  readonly token: number;
  /** Ends when it may be lost: stop then what it protects. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface Waiting {
  readonly signal?: AbortSignal;
}

async function hold(
  client: Client,
  line: Line,
  kind: string,
  blocks: Blocks,
  { signal }: Waiting,
): Promise<Held> {
  const { path, token } = await line.stand(kind, blocks, signal);
  const end = new AbortController();
  const lost = (): void => end.abort(new Error("the connection to the service is lost"));
  client.once("suspended", lost).once("closed", lost);
  return {
    token,
    lost: end.signal,
    release: async () => {
      client.off("suspended", lost).off("closed", lost);
      await line.leave(path);
    },
  };
}

export class Lock {
  readonly #client: Client;
  readonly #line: Line;

  constructor(client: Client, path: string) {
    this.#client = client;
    this.#line = new Line(client, path);
  }

  async acquire(waiting: Waiting = {}): Promise<Held> {
    return hold(this.#client, this.#line, "lock", () => true, waiting);
  }

  /** With the lock held; its signal ends when that may be lost. */
  async with<T>(work: (held: Held) => Promise<T>, waiting: Waiting = {}): Promise<T> {
    const held = await this.acquire(waiting);
    try {
      return await work(held);
    } finally {
      await held.release();
    }
  }
}

export class ReadWriteLock {
  readonly #client: Client;
  readonly #line: Line;

  constructor(client: Client, path: string) {
    this.#client = client;
    this.#line = new Line(client, path);
  }

  /** Beside other readers. */
  async read(waiting: Waiting = {}): Promise<Held> {
    return hold(this.#client, this.#line, "read", (name) => name.includes("-write-"), waiting);
  }

  /** Alone. */
  async write(waiting: Waiting = {}): Promise<Held> {
    return hold(this.#client, this.#line, "write", () => true, waiting);
  }
}
