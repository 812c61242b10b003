/**
 * The ensemble as processes, each on its machine with its own folder, where its log and its data are. What is
 * known of them while they run is what they write into their logs.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerId } from "#node/core/identity.ts";
import type { ServicePlan } from "../../plan/plan.ts";
import { NotFormed, notLed } from "../not-formed.ts";
import type { Running } from "../../testbed/infrastructure/infrastructure.ts";
import { commandOf, type Priority } from "../../testbed/priority.ts";
import { homeOf, type RecordedEvent, type SystemTrial } from "../../system/system.ts";
import { HandOvers } from "./hand-overs.ts";
import type { Testbed } from "../../testbed/testbed.ts";
import { Tail } from "./tail.ts";

/** From the first process to everybody being served by the first leader. */
const FORMATION_MS = 60_000;
const LOOK_MS = 20;

export class LiveServers implements Disposable {
  readonly #testbed: Testbed;
  readonly #plan: ServicePlan;
  readonly #system: SystemTrial;
  readonly #folder: string;
  readonly #priority: Priority;
  readonly #running = new Map<ServerId, Running>();
  readonly #doomed = new Set<ServerId>();
  #handOvers: HandOvers | null = null;
  readonly #lives: { readonly server: ServerId; readonly running: Running; expected: boolean }[] = [];

  constructor(testbed: Testbed, plan: ServicePlan, system: SystemTrial, folder: string, priority: Priority) {
    this.#testbed = testbed;
    this.#plan = plan;
    this.#system = system;
    this.#folder = folder;
    this.#priority = priority;
  }

  /** Starts them and waits until all follow the first leader; who must lead is there before the others. */
  async form(present: readonly ServerId[], signal: AbortSignal): Promise<void> {
    const { firstLeader } = this.#plan.subject;
    const { vanguard } = this.#system;
    const patience = { signal, until: performance.now() + FORMATION_MS };
    await this.#system.prepare();
    this.#openHandOvers();
    await Promise.all(vanguard.map((server) => this.start(server, true)));
    const ahead = (): boolean => this.#system.isAhead(this.#log(firstLeader));
    await this.#wait(`p${firstLeader} did not start`, ahead, patience);
    const rest = present.filter((server) => !vanguard.includes(server));
    await Promise.all(rest.map((server) => this.start(server, true)));
    if (!this.#system.firstLeads) {
      const serves = (server: ServerId): boolean => this.#leaderOf(server) !== null;
      await this.#wait("not all served", () => present.every(serves), patience);
      const why = await this.#handOvers?.order(firstLeader);
      if (why !== null) throw new NotFormed(`p${firstLeader} was not made to lead: ${why}`);
    }
    const follows = (server: ServerId): boolean =>
      this.#eventsOf(server).some(({ event }) => event.kind === "serving" && event.leader === firstLeader);
    try {
      await this.#wait(`not all followed p${firstLeader}`, () => present.every(follows), patience);
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
      const leaders = new Map(present.map((server) => [server, this.#leaderOf(server)]));
      throw notLed(this.#plan, leaders, `${FORMATION_MS / 1e3} s`);
    }
  }

  /** By the system's own means; who refuses says so in its log. */
  async transfer(to: ServerId): Promise<void> {
    await this.#handOvers?.order(to);
  }

  [Symbol.dispose](): void {
    this.#handOvers?.[Symbol.dispose]();
  }

  #openHandOvers(): void {
    const { handOver } = this.#system;
    if (handOver === null) return;
    const machine = this.#testbed.machine(`p${this.#plan.subject.firstLeader}`);
    const command = commandOf(this.#priority, handOver);
    this.#handOvers = new HandOvers([...this.#testbed.infrastructure.enter(machine), ...command]);
  }

  /** Whom it has served under last, unless it is looking again. */
  #leaderOf(server: ServerId): ServerId | null {
    const last = this.#eventsOf(server).findLast(
      ({ event: { kind } }) => kind === "serving" || kind === "lost" || kind === "looking",
    );
    return last?.event.kind === "serving" ? last.event.leader : null;
  }

  /**
   * Waits until every living server serves its clients under the newest leader; false when it takes too long.
   */
  async level(signal: AbortSignal, withinMs: number): Promise<boolean> {
    const serves = (server: ServerId): boolean => {
      const leader = this.#leaderOf(server);
      return leader !== null && leader === this.leader();
    };
    const patience = { signal, until: performance.now() + withinMs };
    try {
      await this.#wait("not level", () => this.living.every(serves), patience);
      return true;
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
      return false;
    }
  }

  async start(server: ServerId, first = false): Promise<void> {
    const running = await this.#testbed.start(`p${server}`, {
      command: commandOf(this.#priority, this.#system.command(server, first)),
      environment: this.#system.environment,
      directory: homeOf(this.#folder, server),
      log: this.#logFile(server),
    });
    this.#priority.hasten(running);
    this.#running.set(server, running);
    this.#lives.push({ server, running, expected: this.#doomed.has(server) });
    void running.exited.then(() => {
      if (this.#running.get(server) === running) this.#running.delete(server);
    });
  }

  isRunning(server: ServerId): boolean {
    return this.#running.has(server);
  }

  /** Something is wrong with it on purpose of which a server ends by itself; or that is over. */
  mayEnd(server: ServerId, may: boolean): void {
    if (!may) {
      this.#doomed.delete(server);
      return;
    }
    this.#doomed.add(server);
    for (const life of this.#lives) if (life.server === server) life.expected = true;
  }

  /** Its kernel goes on, and tells those connected. */
  async kill(server: ServerId): Promise<void> {
    for (const life of this.#lives) if (life.server === server) life.expected = true;
    await this.#running.get(server)?.kill("SIGKILL");
  }

  async pause(server: ServerId): Promise<void> {
    await this.#running.get(server)?.pause();
  }

  async resume(server: ServerId): Promise<void> {
    await this.#running.get(server)?.resume();
  }

  get living(): readonly ServerId[] {
    return [...this.#running.keys()].sort((a, b) => a - b);
  }

  /** Every process there was, by whose it was. */
  get lives(): readonly (readonly [string, Running])[] {
    return this.#lives.map(({ server, running }) => [`p${server}`, running]);
  }

  /** By the newest epoch that any of them says it established, whether it lives or not. */
  leader(): ServerId | null {
    let newest: { server: ServerId; epoch: number } | null = null;
    for (const server of this.#plan.topology.servers.keys()) {
      for (const { event } of this.#eventsOf(server)) {
        if (event.kind !== "established" || (newest !== null && event.epoch <= newest.epoch)) continue;
        newest = { server, epoch: event.epoch };
      }
    }
    return newest?.server ?? null;
  }

  events(origin: number): readonly RecordedEvent[] {
    return [...this.#plan.topology.servers.keys()]
      .flatMap((server) => this.#eventsOf(server, origin))
      .sort((a, b) => a.at - b.at);
  }

  /** What they have told since the last call, in order of time; the first tells all. */
  follow(origin: number): () => readonly RecordedEvent[] {
    const followed = [...this.#plan.topology.servers.keys()].map((server) => ({
      tail: new Tail(this.#logFile(server)),
      read: this.#system.reader(server, origin),
    }));
    return () => followed.flatMap(({ tail, read }) => read(tail.lines())).sort((a, b) => a.at - b.at);
  }

  /** A server that ends although nobody killed it has found itself wrong: a finding, not a result. */
  checkLiving(): void {
    for (const { server, running, expected } of this.#lives) {
      if (expected || this.#running.get(server) === running) continue;
      throw new Error(`p${server} ended by itself:\n${this.#log(server).slice(-LAST_WORDS)}`);
    }
  }

  async #wait(what: string, condition: () => boolean, { signal, until }: Patience): Promise<void> {
    const began = performance.now();
    while (!condition()) {
      signal.throwIfAborted();
      this.checkLiving();
      if (performance.now() > until)
        throw new TooLate(`within ${Math.round((until - began) / 1e3)} s ${what}`);
      await delay(LOOK_MS);
    }
  }

  #eventsOf(server: ServerId, origin = 0): readonly RecordedEvent[] {
    return this.#system.reader(server, origin)(this.#log(server));
  }

  #log(server: ServerId): string {
    const file = this.#logFile(server);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  readonly #logFile = (server: ServerId): string => join(this.#folder, `p${server}.log`);
}

interface Patience {
  readonly signal: AbortSignal;
  /** On `performance.now()`. */
  readonly until: number;
}

class TooLate extends NotFormed {}

const LAST_WORDS = 2000;
