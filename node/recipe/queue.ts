/**
 * A queue: what is put in comes out once, in the order in which the service took it. Whoever takes something
 * has it when the service has deleted it for that one alone; one that dies then takes it along.
 */

import { type Standing, standingsOf } from "../election/medium/standing.ts";
import { untilListed } from "./children.ts";
import type { Client } from "./client.ts";
import { isRefusal } from "./service-error.ts";

export class Queue {
  readonly #client: Client;
  readonly #path: string;
  #isMade = false;

  constructor(client: Client, path: string) {
    this.#client = client;
    this.#path = path;
  }

  /** A lost connection may have put it in: then it rejects with `ConnectionLost`, and the caller decides. */
  async put(data: Uint8Array | string): Promise<void> {
    await this.#make();
    await this.#client.create(`${this.#path}/item-`, data, { mode: "persistentSequential" });
  }

  /** The first; waits for one where there is none. */
  async take(signal?: AbortSignal): Promise<Uint8Array> {
    await this.#make();
    for (;;) {
      const items = await untilListed(this.#client, this.#path, someOf, signal);
      for (const { name } of items) {
        const taken = await this.#take(`${this.#path}/${name}`);
        if (taken !== null) return taken;
      }
    }
  }

  /** How many wait. */
  async length(): Promise<number> {
    await this.#make();
    return (await this.#client.children(this.#path)).length;
  }

  async #take(path: string): Promise<Uint8Array | null> {
    try {
      const { data } = await this.#client.get(path);
      await this.#client.delete(path);
      return data;
    } catch (error) {
      if (isRefusal(error, "noNode")) return null;
      throw error;
    }
  }

  async #make(): Promise<void> {
    if (!this.#isMade) await this.#client.createAll(this.#path);
    this.#isMade = true;
  }
}

function someOf(names: readonly string[]): readonly Standing[] | null {
  return names.length === 0 ? null : standingsOf(names);
}
