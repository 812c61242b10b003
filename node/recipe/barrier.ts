/**
 * A double barrier: those who enter go on when so many have come, and those who leave when all have left.
 * Whoever sees that all have come says so in a znode of its own, because the first may be gone again before
 * the last has looked.
 */

import { randomUUID } from "node:crypto";
import { untilListed } from "./children.ts";
import type { Client } from "./client.ts";
import { isRefusal } from "./service-error.ts";

export class Barrier {
  readonly #client: Client;
  readonly #path: string;
  readonly #members: string;
  readonly #count: number;
  readonly #own: string;

  /** `path` is of this meeting alone. */
  constructor(client: Client, path: string, count: number) {
    this.#client = client;
    this.#path = path;
    this.#members = `${path}/members`;
    this.#count = count;
    this.#own = `${this.#members}/${randomUUID()}`;
  }

  /** Resolves when so many are inside; who dies before that does not count. */
  async enter(signal?: AbortSignal): Promise<void> {
    await this.#client.createAll(this.#members);
    await this.#client.create(this.#own, "", { mode: "ephemeral" });
    const members = await this.#client.children(this.#members);
    if (members.length >= this.#count) return this.#open();
    await untilListed(this.#client, this.#path, (names) => (names.includes("ready") ? true : null), signal);
  }

  /** Resolves when nobody is inside any more. */
  async leave(signal?: AbortSignal): Promise<void> {
    await this.#client.delete(this.#own);
    await untilListed(this.#client, this.#members, (names) => (names.length === 0 ? true : null), signal);
  }

  async #open(): Promise<void> {
    try {
      await this.#client.create(`${this.#path}/ready`);
    } catch (error) {
      if (!isRefusal(error, "nodeExists")) throw error;
    }
  }
}
