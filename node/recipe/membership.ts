/** Who is there: each has a znode that is gone with its session, and says in it whatever it likes. */

import type { Client } from "./client.ts";
import { isRefusal } from "./service-error.ts";

export class Membership {
  readonly #client: Client;
  readonly #path: string;
  /** What it says of itself, to be said again in a new session. */
  readonly #joined = new Map<string, Uint8Array | string>();

  constructor(client: Client, path: string) {
    this.#client = client;
    this.#path = path;
    client.on("connected", () => {
      for (const [name, data] of this.#joined) this.#enter(name, data).catch(() => {});
    });
  }

  /** Until it leaves, also in later sessions; rejects where another has this name. */
  async join(name: string, data: Uint8Array | string = ""): Promise<void> {
    await this.#client.createAll(this.#path);
    await this.#client.create(`${this.#path}/${name}`, data, { mode: "ephemeral" });
    this.#joined.set(name, data);
  }

  async leave(name: string): Promise<void> {
    this.#joined.delete(name);
    try {
      await this.#client.delete(`${this.#path}/${name}`);
    } catch (error) {
      if (!isRefusal(error, "noNode")) throw error;
    }
  }

  /** By name; nobody where nobody ever joined. */
  async members(): Promise<readonly string[]> {
    return this.#list();
  }

  /** Now and after each change, until `signal` ends. */
  async *changes(signal?: AbortSignal): AsyncGenerator<readonly string[]> {
    await this.#client.createAll(this.#path);
    while (signal?.aborted !== true) {
      let changed = (): void => {};
      const happened = new Promise<void>((resolve) => (changed = resolve));
      // A new session has no watches.
      this.#client.once("expired", changed).once("closed", changed);
      signal?.addEventListener("abort", changed);
      yield await this.#list(changed);
      await happened;
      this.#client.off("expired", changed).off("closed", changed);
      signal?.removeEventListener("abort", changed);
    }
  }

  async #list(changed?: () => void): Promise<readonly string[]> {
    try {
      return (await this.#client.children(this.#path, changed)).toSorted();
    } catch (error) {
      if (isRefusal(error, "noNode")) return [];
      throw error;
    }
  }

  async #enter(name: string, data: Uint8Array | string): Promise<void> {
    try {
      await this.#client.create(`${this.#path}/${name}`, data, { mode: "ephemeral" });
    } catch (error) {
      if (!isRefusal(error, "nodeExists")) throw error;
    }
  }
}
