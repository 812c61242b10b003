/**
 * Standing in line: each makes a numbered znode that is gone with its session, and waits for the nearest of
 * those before it that stands in its way. So an end wakes one, and nobody overtakes.
 */

import { randomUUID } from "node:crypto";
import { standingsOf } from "../election/medium/standing.ts";
import { nameOf } from "../election/medium/way.ts";
import type { Client } from "./client.ts";
import { ConnectionLost, isRefusal, SessionOver } from "./service-error.ts";

/** Whether who stands there lets another wait. */
export type Blocks = (name: string) => boolean;

export interface Turn {
  readonly path: string;
  /** Greater than that of everybody who had it before: what is protected can turn earlier ones away. */
  readonly token: number;
}

export class Line {
  readonly #client: Client;
  readonly #root: string;

  constructor(client: Client, root: string) {
    this.#client = client;
    this.#root = root;
  }

  /** Resolves when it is its turn; an end of `signal` gives the place up. */
  async stand(kind: string, blocks: Blocks, signal?: AbortSignal): Promise<Turn> {
    signal?.throwIfAborted();
    const prefix = `${randomUUID()}-${kind}-`;
    const path = await this.#enter(prefix);
    try {
      await this.#wait(path, blocks, signal);
      const stat = await this.#client.exists(path);
      if (stat === null) throw new SessionOver(`${path} is gone: its session has expired`);
      return { path, token: stat.czxid };
    } catch (error) {
      await this.leave(path);
      throw error;
    }
  }

  /** Once more where nobody could tell whether it was done. */
  async leave(path: string): Promise<void> {
    for (;;) {
      try {
        return await this.#client.delete(path);
      } catch (error) {
        if (isRefusal(error, "noNode") || error instanceof SessionOver) return;
        if (!(error instanceof ConnectionLost)) throw error;
      }
    }
  }

  async #enter(prefix: string): Promise<string> {
    for (;;) {
      try {
        const made = await this.#client.create(`${this.#root}/${prefix}`, "", {
          mode: "ephemeralSequential",
        });
        return `${this.#root}/${nameOf(made)}`;
      } catch (error) {
        if (isRefusal(error, "noNode")) await this.#client.createAll(this.#root);
        else if (!(error instanceof ConnectionLost)) throw error;
        // It may have been made, and nobody could tell.
        const names = await this.#client.children(this.#root);
        const own = names.find((name) => name.startsWith(prefix));
        if (own !== undefined) return `${this.#root}/${own}`;
      }
    }
  }

  async #wait(path: string, blocks: Blocks, signal: AbortSignal | undefined): Promise<void> {
    const own = nameOf(path);
    for (;;) {
      const places = standingsOf(await this.#client.children(this.#root));
      const at = places.findIndex(({ name }) => name === own);
      if (at < 0) throw new SessionOver(`${path} is gone: its session has expired`);
      const before = places.slice(0, at).findLast(({ name }) => blocks(name));
      if (before === undefined) return;
      await this.#gone(`${this.#root}/${before.name}`, signal);
    }
  }

  async #gone(path: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const over = new AbortController();
    await new Promise<void>((resolve, reject) => {
      const expired = (): void => reject(new SessionOver("its session has expired"));
      const aborted = (): void =>
        reject(signal?.reason instanceof Error ? signal.reason : new Error("given up"));
      this.#client.once("expired", expired).once("closed", expired);
      signal?.addEventListener("abort", aborted);
      over.signal.addEventListener("abort", () => {
        this.#client.off("expired", expired).off("closed", expired);
        signal?.removeEventListener("abort", aborted);
      });
      this.#client
        .exists(path, () => resolve())
        .then((stat) => {
          if (stat === null) resolve();
        }, reject);
    }).finally(() => over.abort());
  }
}
