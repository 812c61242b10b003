/**
 * What clients do with keys while servers are tortured, where there are no sessions: each asks one thing
 * after the other, written into the history as the checks read it. Keys are used for one period and then left
 * for others, so that the search for an order of the operations on one of them stays short.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "#node/core/random.ts";
import type { Instant } from "#node/core/time.ts";
import type { Zxid } from "#node/core/zxid.ts";
import type { Action, Entry } from "../check/history.ts";
import type { KeyAnswer, KeyClient } from "../workload/key-client.ts";
import { now } from "./session.ts";
import { mortalsOf, PERIOD_MS, registersOf, setOf } from "./workload.ts";

/** A client that waits for nothing would leave no processor for the servers. */
const THINK_MS = 30;

export class KeyWorkload {
  readonly #client: KeyClient;
  readonly #history: Entry[];
  readonly #random: Random;
  readonly #name: string;
  readonly #begun: number;
  #unique = 0;

  constructor(client: KeyClient, history: Entry[], random: Random, name: string, begun: number) {
    this.#client = client;
    this.#history = history;
    this.#random = random;
    this.#name = name;
    this.#begun = begun;
  }

  async tell(goesOn: () => boolean): Promise<void> {
    await delay(this.#random.integer(0, THINK_MS));
    while (goesOn()) {
      const think = delay(THINK_MS);
      await this.#story();
      await think;
    }
  }

  /** False when it was not answered. */
  async create(key: string, value = this.#value()): Promise<boolean> {
    const invoked = now();
    const answer = await this.#client.create(key, value);
    return this.#note(invoked, answer, { kind: "create", key, value });
  }

  async read(key: string, newest: boolean): Promise<KeyAnswer> {
    const invoked = now();
    const answer = await this.#client.read(key, newest);
    const { sight } = answer;
    const seen = sight && {
      value: sight.value,
      version: sight.version,
      mzxid: sight.place as Zxid,
      owner: null,
    };
    this.#note(invoked, answer, { kind: "read", key, synced: newest, watch: false, sight: seen });
    return answer;
  }

  /** False when it was not answered. */
  async list(key: string): Promise<boolean> {
    const invoked = now();
    const answer = await this.#client.list(`${key}/`);
    const listed = { kind: "list", key, synced: true, watch: false, elements: answer.names } as const;
    return this.#note(invoked, answer, listed);
  }

  async #story(): Promise<void> {
    const draw = this.#random.unit();
    const register = this.#random.pick(registersOf(this.#period));
    if (draw < 0.25) await this.#add();
    else if (draw < 0.3) await this.list(setOf(this.#period));
    else if (draw < 0.5) await this.#compareAndSet(register);
    else if (draw < 0.6) await this.#write(register, null);
    else if (draw < 0.85) await this.read(register, this.#random.chance(0.5));
    else await this.#liveOrDie(this.#random.pick(mortalsOf(this.#period)));
  }

  async #add(): Promise<void> {
    const [key, element] = [setOf(this.#period), this.#value()];
    const invoked = now();
    const answer = await this.#client.create(`${key}/${element}`, "");
    this.#note(invoked, answer, { kind: "add", key, element });
  }

  async #compareAndSet(key: string): Promise<void> {
    const { sight } = await this.read(key, false);
    if (sight !== null) await this.#write(key, sight.version);
  }

  async #write(key: string, expected: number | null): Promise<void> {
    const value = this.#value();
    const invoked = now();
    const answer = await this.#client.write(key, value, expected);
    this.#note(invoked, answer, { kind: "write", key, value, expected, version: answer.version });
  }

  async #liveOrDie(key: string): Promise<void> {
    const draw = this.#random.unit();
    if (draw < 0.4) await this.create(key);
    else if (draw < 0.5) await this.#write(key, null);
    else if (draw < 0.7) await this.#remove(key, null);
    else {
      const { sight } = await this.read(key, true);
      if (sight !== null && draw < 0.85) await this.#remove(key, sight.version);
    }
  }

  async #remove(key: string, expected: number | null): Promise<void> {
    const invoked = now();
    const answer = await this.#client.remove(key, expected);
    this.#note(invoked, answer, { kind: "remove", key, expected });
  }

  get #period(): number {
    return Math.floor((performance.now() - this.#begun) / PERIOD_MS);
  }

  #value(): string {
    return `${this.#name}.${++this.#unique}`;
  }

  /** What is promised to one connection says nothing of the next, so each is a session of its own. */
  #note(invoked: Instant, { outcome, failure, place }: KeyAnswer, action: Action): boolean {
    const session = `${this.#name} ${this.#client.connection}`;
    const zxid = outcome === "unknown" ? null : (place as Zxid | null);
    this.#history.push({ session, invoked, completed: now(), outcome, failure, zxid, ...action });
    return outcome === "ok";
  }
}
