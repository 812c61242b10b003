/** A value that all see and anybody may change, as JSON; who changes it has seen what it changes. */

import type { Client } from "./client.ts";
import { isRefusal } from "./service-error.ts";

export interface Version<T> {
  readonly value: T;
  readonly version: number;
}

export class Configuration<T> {
  readonly #client: Client;
  readonly #path: string;
  readonly #read: (value: unknown) => T;

  /** `read` throws at what is no such value; nothing is made of what another program wrote. */
  constructor(client: Client, path: string, read: (value: unknown) => T) {
    this.#client = client;
    this.#path = path;
    this.#read = read;
  }

  /** Null where nobody has set it. */
  async get(changed?: () => void): Promise<Version<T> | null> {
    try {
      const { data, stat } = await this.#client.get(this.#path, changed);
      return { value: this.#parse(data), version: stat.version };
    } catch (error) {
      if (!isRefusal(error, "noNode")) throw error;
      const stat = changed === undefined ? null : await this.#client.exists(this.#path, changed);
      return stat === null ? null : this.get(changed);
    }
  }

  /** Changes it by what it is, again where another was faster. */
  async update(change: (value: T | null) => T): Promise<T> {
    for (;;) {
      const known = await this.get();
      const next = change(known?.value ?? null);
      try {
        if (known === null) await this.#make(JSON.stringify(next));
        else await this.#client.set(this.#path, JSON.stringify(next), known.version);
        return next;
      } catch (error) {
        if (!isRefusal(error, "badVersion") && !isRefusal(error, "nodeExists")) throw error;
      }
    }
  }

  /** Now and after each change, until `signal` ends. */
  async *changes(signal?: AbortSignal): AsyncGenerator<Version<T> | null> {
    while (signal?.aborted !== true) {
      let changed = (): void => {};
      const happened = new Promise<void>((resolve) => (changed = resolve));
      // A new session has no watches.
      this.#client.once("expired", changed).once("closed", changed);
      signal?.addEventListener("abort", changed);
      yield await this.get(changed);
      await happened;
      this.#client.off("expired", changed).off("closed", changed);
      signal?.removeEventListener("abort", changed);
    }
  }

  async #make(text: string): Promise<void> {
    const parent = this.#path.slice(0, this.#path.lastIndexOf("/"));
    if (parent !== "") await this.#client.createAll(parent);
    await this.#client.create(this.#path, text);
  }

  #parse(data: Uint8Array): T {
    let value: unknown;
    try {
      value = JSON.parse(Buffer.from(data).toString());
    } catch {
      throw new Error(`${this.#path} holds no JSON: another program wrote there`);
    }
    return this.#read(value);
  }
}
