/**
 * One run: an ensemble of real processes on an emulated network, clients that work, a nemesis that strikes,
 * and when all is mended a last look at everything, which the checks then judge.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerId } from "#node/core/identity.ts";
import { Random } from "#node/core/random.ts";
import type { Instant } from "#node/core/time.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { operation } from "./answer.ts";
import { Comeback } from "./comeback.ts";
import { openEnsemble, type TorturedEnsemble } from "./ensemble.ts";
import { judgeRun, type Report } from "./judgement.ts";
import { KeyRun } from "./key-run.ts";
import { areLevel } from "./level.ts";
import { GUARD } from "./lock.ts";
import { Nemesis } from "./nemesis.ts";
import { answered, atOnce, FURNISH_MS, LAST_LOOK_MS, MENDED_MS, within } from "./patience.ts";
import { kindsFor, SESSION_TIMEOUT_MS, type Torture } from "./plan.ts";
import { create } from "./request.ts";
import { Sitter } from "./sitter.ts";
import { type ClientAddress, now, TortureSession } from "./session.ts";
import { type TreeText, treeText } from "./tree-text.ts";
import {
  ACCOUNTS,
  type Histories,
  LEVELS,
  MORTALS,
  mortalsOf,
  OPENED_WITH,
  PERIOD_MS,
  registersOf,
  setOf,
  Workload,
} from "./workload.ts";
import { SYSTEMS } from "../system/catalog.ts";

/** Clients that only keep their sessions. */
const SITTERS = 6;
/** Stories that every client tells at the same time. */
const STORIES = 12;

export async function torture(plan: Torture): Promise<Report> {
  const random = new Random(plan.seed);
  await using ensemble = await openEnsemble(plan);
  const { keyClient } = SYSTEMS[plan.system].torture;
  const run =
    keyClient === null ? new Run(plan, ensemble, random) : new KeyRun(plan, ensemble, random, keyClient);
  const report = await run.toEnd();
  if (plan.keep !== undefined && report.judgement !== "valid") await run.leaveTo(plan.keep);
  return report;
}

class Run {
  readonly #plan: Torture;
  readonly #ensemble: TorturedEnsemble;
  readonly #random: Random;
  readonly #histories: Histories = { main: [], locks: [] };
  readonly #nemesis: Nemesis;
  readonly #first: TortureSession;
  readonly #sessions: TortureSession[] = [];
  /** Of the clients that work. */
  #clients: readonly TortureSession[] = [];
  #begun = performance.now();
  readonly #comeback = new Comeback();
  #sitters: readonly Sitter[] = [];
  readonly #trees = new Map<ServerId, TreeText>();

  constructor(plan: Torture, ensemble: TorturedEnsemble, random: Random) {
    this.#plan = plan;
    this.#ensemble = ensemble;
    this.#random = random;
    const terms = { sessionTimeoutMs: SESSION_TIMEOUT_MS, kinds: kindsFor(plan) };
    this.#nemesis = new Nemesis(ensemble, random.fork(), terms, (servers, withinMs) =>
      areLevel(servers, (to) => this.#session(to, []), withinMs),
    );
    this.#first = this.#session(ensemble.servers);
  }

  async toEnd(): Promise<Report> {
    try {
      if (!(await within(FURNISH_MS, this.#furnish()))) return this.#report(null);
      this.#begun = performance.now();
      return await this.#torment();
    } finally {
      for (const session of [...this.#sessions, ...this.#sitters]) session.stop();
    }
  }

  async leaveTo(folder: string): Promise<void> {
    await this.#ensemble.leaveTo(folder);
    const entries = [...this.#histories.main, ...this.#histories.locks];
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
    writeFileSync(join(folder, "history.ndjson"), lines.join(""));
    writeFileSync(join(folder, "nemesis.txt"), `${this.#nemesis.told.join("\n")}\n`);
  }

  async #torment(): Promise<Report> {
    const { seconds, clients } = this.#plan;
    let isWorking = true;
    this.#clients = Array.from({ length: clients }, () => this.#session(this.#ensemble.servers));
    const work = this.#clients.map((session, index) => {
      const workload = new Workload(session, this.#histories, this.#random.fork(), `c${index}`, this.#begun);
      return Array.from({ length: STORIES }, (__, story) => workload.tell(story === 0, () => isWorking));
    });
    this.#sitters = Array.from(
      { length: SITTERS },
      (_, index) => new Sitter(`s${index}`, this.#ensemble.servers, SESSION_TIMEOUT_MS, this.#random.fork()),
    );
    await this.#nemesis.torment(this.#begun + seconds * 1000);
    const hasServed = await within(MENDED_MS, this.#served());
    isWorking = false;
    if (hasServed === null) return this.#report(null);
    const looked = await within(
      LAST_LOOK_MS,
      Promise.all(work.flat()).then(() => this.#look()),
    );
    return this.#report(looked);
  }

  /** As many as can begin before the clients are told to stop. */
  get #periods(): number {
    return Math.ceil((this.#plan.seconds * 1000 + MENDED_MS) / PERIOD_MS);
  }

  #session(to: readonly ClientAddress[], history = this.#histories.main): TortureSession {
    const session = new TortureSession(to, SESSION_TIMEOUT_MS, this.#random.fork(), history);
    this.#sessions.push(session);
    return session;
  }

  /** Everything that clients will write to is there before they come. */
  async #furnish(): Promise<true> {
    const first = this.#first;
    const { main } = this.#histories;
    const numbers = Array.from({ length: this.#periods }, (_, period) => period);
    await first.ask(
      ["/sets", "/registers", MORTALS, "/numbers", "/accounts", LEVELS, GUARD].map((path) => create(path)),
    );
    for (const account of ACCOUNTS) await answered(() => this.#open(account));
    await atOnce(numbers, (period) => first.ask([create(setOf(period)), create(`/numbers/${period}`)]));
    await atOnce(numbers.flatMap(registersOf), (key) =>
      first.ask([create(key, "new")], ([answer]) => {
        if (answer !== undefined) main.push(operation(answer, { kind: "create", key, value: "new" }));
      }),
    );
    return true;
  }

  /** Nobody else opens accounts: one that is there already was opened by a request whose answer got lost. */
  async #open(account: string): Promise<true | null> {
    const [answer] = await this.#first.ask([create(account, String(OPENED_WITH))]);
    if (answer?.error !== ERRORS.ok && answer?.error !== ERRORS.nodeExists) return null;
    const opened = { ...answer, error: ERRORS.ok };
    this.#histories.main.push(operation(opened, { kind: "open", account, amount: OPENED_WITH }));
    return true;
  }

  /** Until a write succeeds at every server; the first of them counts, the last is told. */
  #served(): Promise<true> {
    const attempts = this.#ensemble.servers.map((server) => {
      const session = this.#session([server], []);
      return async (): Promise<boolean> => {
        const [answer] = await session.ask([create(`/served-${server.id}`)]);
        return answer?.error === ERRORS.ok || answer?.error === ERRORS.nodeExists;
      };
    });
    return this.#comeback.of(attempts);
  }

  /** Nobody writes any more; when it began. */
  async #look(): Promise<Instant> {
    const began = now();
    const last = new Workload(this.#first, this.#histories, this.#random.fork(), "last", this.#begun);
    const begunPeriods = 1 + Math.floor((performance.now() - this.#begun) / PERIOD_MS);
    const periods = Array.from({ length: Math.min(begunPeriods, this.#periods) }, (_, period) => period);
    // With their sessions goes every lock, and servers are read one after the other while nothing changes.
    await Promise.all(this.#clients.map((client) => ended(client)));
    await Promise.all(this.#sitters.map((sitter) => sitter.leave()));
    await answered(() => last.lookAtLock());
    await atOnce(periods, (period) => answered(() => last.list(setOf(period), false)));
    await atOnce(
      periods.flatMap((period) => [...registersOf(period), ...mortalsOf(period)]),
      (path) => answered(() => last.read(path, true, false)),
    );
    await answered(() => last.audit());
    for (const server of this.#ensemble.servers) {
      this.#trees.set(server.id, await this.#tree(server));
    }
    return began;
  }

  async #tree(server: ClientAddress): Promise<TreeText> {
    const session = this.#session([server], []);
    return answered(() => treeText(session));
  }

  #report(looked: Instant | null): Report {
    return judgeRun(this.#plan, this.#histories, {
      strikes: this.#nemesis.strikes,
      leaps: this.#nemesis.leaps,
      spells: this.#nemesis.spells,
      sitters: this.#sitters,
      servers: this.#ensemble.servers.length,
      suicides: this.#ensemble.suicides,
      moves: this.#sessions.reduce((sum, { moves }) => sum + moves, 0),
      servedAfterMs: this.#comeback.firstMs,
      allServedAfterMs: this.#comeback.allMs,
      trees: this.#trees,
      looked,
    });
  }
}

async function ended(session: TortureSession): Promise<void> {
  await answered(async () => ((await session.close()) ? true : null));
  session.stop();
}
