/**
 * One run against a system of keys without sessions: what `torture.ts` does, as far as there is such a thing.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerId } from "#node/core/identity.ts";
import type { Random } from "#node/core/random.ts";
import type { Instant } from "#node/core/time.ts";
import type { Zxid } from "#node/core/zxid.ts";
import type { Entry } from "../check/history.ts";
import type { KeyClient, KeyClientOf } from "../workload/key-client.ts";
import { Comeback } from "./comeback.ts";
import type { TorturedEnsemble } from "./ensemble.ts";
import { judgeKeys, type Report } from "./judgement.ts";
import { KeyWorkload } from "./key-workload.ts";
import { Nemesis } from "./nemesis.ts";
import { answered, FURNISH_MS, LAST_LOOK_MS, MENDED_MS, within } from "./patience.ts";
import { kindsFor, SESSION_TIMEOUT_MS, type Torture } from "./plan.ts";
import { type ClientAddress, now } from "./session.ts";
import type { TreeText } from "./tree-text.ts";
import { mortalsOf, PERIOD_MS, registersOf, setOf } from "./workload.ts";

/** Clients for each that the plan says, because each waits for its answer. */
const STORIES = 3;
/** Some leave before another leader is found, some are still there when the old one wakes up. */
const ANSWER_MS = [1500, 3000] as const;
const PATIENCE_MS = 1500;

export class KeyRun {
  readonly #plan: Torture;
  readonly #ensemble: TorturedEnsemble;
  readonly #random: Random;
  readonly #clientOf: KeyClientOf;
  readonly #history: Entry[] = [];
  readonly #nemesis: Nemesis;
  readonly #clients: KeyClient[] = [];
  readonly #trees = new Map<ServerId, TreeText>();
  #begun = performance.now();
  readonly #comeback = new Comeback();

  constructor(plan: Torture, ensemble: TorturedEnsemble, random: Random, clientOf: KeyClientOf) {
    this.#plan = plan;
    this.#ensemble = ensemble;
    this.#random = random;
    this.#clientOf = clientOf;
    const terms = { sessionTimeoutMs: SESSION_TIMEOUT_MS, kinds: kindsFor(plan) };
    // Nobody comes back with a new disk, so nobody has to be level before one does.
    this.#nemesis = new Nemesis(ensemble, random.fork(), terms, () => Promise.resolve(true));
  }

  async toEnd(): Promise<Report> {
    try {
      if (!(await within(FURNISH_MS, this.#furnish()))) return this.#report(null);
      return await this.#torment();
    } finally {
      for (const client of this.#clients) client.stop();
    }
  }

  async leaveTo(folder: string): Promise<void> {
    await this.#ensemble.leaveTo(folder);
    const lines = this.#history.map((entry) => `${JSON.stringify(entry)}\n`);
    writeFileSync(join(folder, "history.ndjson"), lines.join(""));
    writeFileSync(join(folder, "nemesis.txt"), `${this.#nemesis.told.join("\n")}\n`);
  }

  async #torment(): Promise<Report> {
    const { seconds, clients } = this.#plan;
    let isWorking = true;
    this.#begun = performance.now();
    const work = Array.from({ length: STORIES * clients }, (_, index) =>
      this.#workload(`c${index}`).tell(() => isWorking),
    );
    await this.#nemesis.torment(this.#begun + seconds * 1000);
    const hasServed = await within(MENDED_MS, this.#served());
    isWorking = false;
    if (hasServed === null) return this.#report(null);
    return this.#report(
      await within(
        LAST_LOOK_MS,
        Promise.all(work).then(() => this.#look()),
      ),
    );
  }

  /** As many as can begin before the clients are told to stop. */
  get #periods(): readonly number[] {
    const count = Math.ceil((this.#plan.seconds * 1000 + MENDED_MS) / PERIOD_MS);
    return Array.from({ length: count }, (_, period) => period);
  }

  #client(to: readonly ClientAddress[]): KeyClient {
    const places = to.map(({ host, clientPort }) => ({ host, port: clientPort }));
    const policy = { answerMs: this.#random.pick(ANSWER_MS), patienceMs: PATIENCE_MS };
    const client = this.#clientOf(places, this.#random.integer(0, places.length - 1), policy);
    this.#clients.push(client);
    return client;
  }

  #workload(name: string): KeyWorkload {
    const client = this.#client(this.#ensemble.servers);
    return new KeyWorkload(client, this.#history, this.#random.fork(), name, this.#begun);
  }

  /** All registers are there before clients come; one that is there already was made in vain. */
  async #furnish(): Promise<true> {
    const first = this.#workload("first");
    for (const key of this.#periods.flatMap(registersOf)) await first.create(key, "new");
    return true;
  }

  /** Until a write succeeds at every server; the first of them counts, the last is told. */
  #served(): Promise<true> {
    const attempts = this.#ensemble.servers.map((server) => {
      const client = this.#client([server]);
      return async (): Promise<boolean> => {
        const { outcome, failure } = await client.create(`/served-${server.id}`, "");
        return outcome === "ok" || failure === "exists";
      };
    });
    return this.#comeback.of(attempts);
  }

  /** Nobody writes any more; when it began. */
  async #look(): Promise<Instant> {
    const began = now();
    const last = this.#workload("last");
    const begun = 1 + Math.floor((performance.now() - this.#begun) / PERIOD_MS);
    const periods = this.#periods.slice(0, begun);
    for (const period of periods) await answered(async () => (await last.list(setOf(period))) || null);
    for (const key of periods.flatMap((period) => [...registersOf(period), ...mortalsOf(period)]))
      await answered(async () => ((await last.read(key, true)).outcome === "ok" ? true : null));
    for (const server of this.#ensemble.servers) {
      const client = this.#client([server]);
      const { place, lines } = await answered(() => client.state());
      this.#trees.set(server.id, { text: lines.join("\n"), counters: "", zxid: place as Zxid });
    }
    return began;
  }

  #report(looked: Instant | null): Report {
    return judgeKeys(this.#plan, this.#history, {
      strikes: this.#nemesis.strikes,
      leaps: this.#nemesis.leaps,
      spells: this.#nemesis.spells,
      sitters: [],
      servers: this.#ensemble.servers.length,
      suicides: this.#ensemble.suicides,
      moves: this.#clients.reduce((sum, { connection }) => sum + Math.max(0, connection - 1), 0),
      servedAfterMs: this.#comeback.firstMs,
      allServedAfterMs: this.#comeback.allMs,
      trees: this.#trees,
      looked,
    });
  }
}
