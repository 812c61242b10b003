/**
 * What clients do while servers are tortured: each operation is one small story between a session and the
 * service, written into the history as the checks read it.
 *
 * Znodes are used for one period and then left for others, so that the search for an order of the operations
 * on one of them stays short.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "#node/core/random.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import type { Entry, Sight } from "../check/history.ts";
import { operation, sightOf, textOf } from "./answer.ts";
import { Lock } from "./lock.ts";
import { create, get, SEQUENTIAL, set, sync } from "./request.ts";
import type { Answer, TortureSession } from "./session.ts";

export const PERIOD_MS = 2000;
const REGISTERS = 8;
const MORTALS_A_PERIOD = 4;
const MOST_ADDED_AT_ONCE = 4;
/** A client that waits for nothing would leave no processor for the servers. */
const THINK_MS = 100;
export const ACCOUNTS = ["/accounts/a", "/accounts/b", "/accounts/c", "/accounts/d"] as const;
export const OPENED_WITH = 100;
export const LEVELS = "/levels";
export const MORTALS = "/mortals";

export interface Histories {
  readonly main: Entry[];
  /** Of locks, whose znodes go with their sessions: the other checks know nothing of that. */
  readonly locks: Entry[];
}

export const registersOf = (period: number): string[] =>
  Array.from({ length: REGISTERS }, (_, index) => `/registers/${period}-${index}`);
/** Registers that come and go. */
export const mortalsOf = (period: number): string[] =>
  Array.from({ length: MORTALS_A_PERIOD }, (_, index) => `${MORTALS}/${period}-${index}`);
export const setOf = (period: number): string => `/sets/${period}`;

/**
 * What one client does. It has several such stories under way on its one session, whose requests are answered
 * in the order in which they were sent.
 */
export class Workload {
  readonly #session: TortureSession;
  readonly #histories: Histories;
  readonly #random: Random;
  readonly #name: string;
  readonly #begun: number;
  readonly #lock: Lock;
  #unique = 0;

  constructor(session: TortureSession, histories: Histories, random: Random, name: string, begun: number) {
    this.#session = session;
    this.#histories = histories;
    this.#random = random;
    this.#name = name;
    this.#begun = begun;
    this.#lock = new Lock(session, histories);
  }

  /** Goes on while there is work; only the first of a session's stories takes locks, moves and closes. */
  async tell(isFirst: boolean, goesOn: () => boolean): Promise<void> {
    await delay(this.#random.integer(0, THINK_MS));
    while (goesOn()) {
      const think = delay(THINK_MS);
      await (isFirst ? this.#asHolder() : this.#asAnybody());
      await think;
    }
  }

  async #asHolder(): Promise<void> {
    const draw = this.#random.unit();
    if (draw < 0.7) await this.#lock.story(() => this.#addSome());
    else if (draw < 0.95) await this.#asAnybody();
    else if (draw < 0.99) this.#session.move();
    else await this.#session.close();
  }

  async #asAnybody(): Promise<void> {
    const draw = this.#random.unit();
    if (draw < 0.2) await this.#addSome();
    else if (draw < 0.25) await this.list(setOf(this.#period), this.#random.chance(0.7));
    else if (draw < 0.45) await this.#compareAndSet();
    else if (draw < 0.55) await this.#write(this.#register, null);
    else if (draw < 0.75) await this.read(this.#register, true, this.#random.chance(0.3));
    else if (draw < 0.85) await this.#liveOrDie(this.#random.pick(mortalsOf(this.#period)));
    else if (draw < 0.92) await this.#draw();
    else await this.#transfer();
  }

  /** Null when it was not answered; a null sight where there is nothing. */
  async read(path: string, synced: boolean, watch: boolean): Promise<Shown | null> {
    let shown: Shown | null = null;
    const requests = synced ? [sync(path), get(path, watch)] : [get(path, watch)];
    await this.#session.ask(requests, (answers) => {
      const answer = answers.at(-1) as Answer;
      // The interval begins with the sync; a read whose sync was not answered was not synced.
      const isSynced = synced && answers[0]?.error === ERRORS.ok;
      const isThere = answer.error === ERRORS.ok;
      const sight = isThere ? sightOf(answer) : null;
      const outcome = answer.error === ERRORS.noNode ? { ...answer, error: ERRORS.ok } : answer;
      // No watch is set by a read that finds nothing.
      const action = { kind: "read", key: path, synced: isSynced, watch: watch && isThere, sight } as const;
      this.#histories.main.push(operation(outcome, action));
      if (outcome.error === ERRORS.ok) shown = { sight };
    });
    return shown;
  }

  /** Null when it was not answered. */
  async list(path: string, watch: boolean): Promise<readonly string[] | null> {
    let listed: readonly string[] | null = null;
    await this.#session.ask([sync(path), { kind: "getChildren", path, watch }], (answers) => {
      const answer = answers.at(-1) as Answer;
      const elements = answer.reply?.kind === "getChildren" ? answer.reply.names : [];
      const synced = answers[0]?.error === ERRORS.ok;
      if (synced && answer.error === ERRORS.ok) listed = elements;
      this.#histories.main.push(operation(answer, { kind: "list", key: path, synced, watch, elements }));
    });
    return listed;
  }

  /** All accounts at one moment, and what is needed to change them. */
  async audit(): Promise<readonly Account[] | null> {
    const operations = ACCOUNTS.map((path) => ({ kind: "getData", path, watch: false }) as const);
    let accounts: readonly Account[] | null = null;
    await this.#session.ask([{ kind: "multiRead", operations }], ([answer]) => {
      accounts = answer === undefined ? null : accountsIn(answer);
      if (answer === undefined || accounts === null) return;
      const balances = accounts.map(({ balance }) => balance);
      this.#histories.main.push(operation(answer, { kind: "audit", balances }));
    });
    return accounts;
  }

  lookAtLock(): Promise<true | null> {
    return this.#lock.look();
  }

  get #period(): number {
    return Math.floor((performance.now() - this.#begun) / PERIOD_MS);
  }

  get #register(): string {
    return this.#random.pick(registersOf(this.#period));
  }

  #value(): string {
    return `${this.#name}.${++this.#unique}`;
  }

  async #addSome(): Promise<void> {
    await Promise.all(Array.from({ length: this.#random.integer(1, MOST_ADDED_AT_ONCE) }, () => this.#add()));
  }

  async #add(): Promise<void> {
    const [key, element] = [setOf(this.#period), this.#value()];
    await this.#session.ask([create(`${key}/${element}`)], ([answer]) => {
      this.#histories.main.push(operation(answer as Answer, { kind: "add", key, element }));
    });
  }

  async #compareAndSet(): Promise<void> {
    const path = this.#register;
    const { sight = null } = (await this.read(path, false, false)) ?? {};
    if (sight !== null) await this.#write(path, sight.version);
  }

  async #write(key: string, expected: number | null): Promise<void> {
    const value = this.#value();
    await this.#session.ask([set(key, value, expected ?? -1)], ([answer]) => {
      const version = answer?.reply?.kind === "setData" ? answer.reply.stat.version : null;
      const action = { kind: "write", key, value, expected, version } as const;
      this.#histories.main.push(operation(answer as Answer, action));
    });
  }

  async #liveOrDie(key: string): Promise<void> {
    const draw = this.#random.unit();
    if (draw < 0.35) await this.#create(key);
    else if (draw < 0.55) await this.#remove(key, null);
    else if (draw < 0.62) await this.#write(key, null);
    else if (draw < 0.72) await this.#await(key);
    else {
      const { sight = null } = (await this.read(key, true, this.#random.chance(0.3))) ?? {};
      if (sight !== null && draw < 0.85) await this.#remove(key, sight.version);
    }
  }

  /** Is it there, and when will that change? */
  async #await(key: string): Promise<void> {
    await this.#session.ask([{ kind: "exists", path: key, watch: true }], ([answer]) => {
      const { error } = answer as Answer;
      const sight = error === ERRORS.ok ? sightOf(answer as Answer) : null;
      const outcome = { ...(answer as Answer), error: error === ERRORS.noNode ? ERRORS.ok : error };
      const action = { kind: "read", key, synced: false, watch: true, sight } as const;
      this.#histories.main.push(operation(outcome, action));
    });
  }

  async #create(key: string): Promise<void> {
    const value = this.#value();
    await this.#session.ask([create(key, value)], ([answer]) => {
      this.#histories.main.push(operation(answer as Answer, { kind: "create", key, value }));
    });
  }

  async #remove(key: string, expected: number | null): Promise<void> {
    const request = { kind: "delete", path: key, version: expected ?? -1 } as const;
    await this.#session.ask([request], ([answer]) => {
      this.#histories.main.push(operation(answer as Answer, { kind: "remove", key, expected }));
    });
  }

  async #draw(): Promise<void> {
    const key = `/numbers/${this.#period}`;
    await this.#session.ask([create(`${key}/n-`, "", SEQUENTIAL)], ([answer]) => {
      const number = answer?.reply?.kind === "create" ? Number(answer.reply.path.slice(-10)) : null;
      this.#histories.main.push(operation(answer as Answer, { kind: "draw", key, number }));
    });
  }

  async #transfer(): Promise<void> {
    const seen = await this.audit();
    if (seen === null) return;
    const [from, to] = this.#random.shuffle([0, 1, 2, 3]) as [number, number];
    const amount = this.#random.integer(1, 10);
    const changed = (index: number, by: number) => {
      const { balance, version } = seen[index] as (typeof seen)[number];
      return set(ACCOUNTS[index] as string, String(balance + by), version);
    };
    const request = { kind: "multi", operations: [changed(from, -amount), changed(to, amount)] } as const;
    await this.#session.ask([request], ([answer]) => {
      const names = { from: ACCOUNTS[from] as string, to: ACCOUNTS[to] as string, amount };
      this.#histories.main.push(operation(answer as Answer, { kind: "transfer", ...names }));
    });
  }
}

interface Shown {
  readonly sight: Sight | null;
}

interface Account {
  readonly balance: number;
  readonly version: number;
}

/** Null when not all are there. */
function accountsIn({ reply }: Answer): readonly Account[] | null {
  if (reply?.kind !== "multiRead") return null;
  const accounts = reply.results.flatMap((result) =>
    result.kind === "getData" ? [{ balance: Number(textOf(result.data)), version: result.stat.version }] : [],
  );
  return accounts.length === ACCOUNTS.length ? accounts : null;
}
