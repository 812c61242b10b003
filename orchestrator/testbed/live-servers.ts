/**
 * The ensemble as processes, each on its machine with its own folder, where its log and its data are. What is
 * known of them while they run is what they write into their logs.
 */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ServerId } from "#node/core/identity.ts";
import type { Duration } from "#node/core/time.ts";
import type { RecordedEvent } from "../recording/recording.ts";
import type { TrialPlan } from "../trial/plan.ts";
import type { Running } from "./infrastructure/infrastructure.ts";
import { commandOf } from "./live-priority.ts";
import { eventsOf, hasSaid } from "./live-events.ts";
import type { Testbed } from "./testbed.ts";

const MAIN = fileURLToPath(new URL("../../node/main.ts", import.meta.url));
const PEER_PORT = 2888;
export const CLIENT_PORT = 2181;

/** From the first process to everybody being served by the first leader. */
const FORMATION_MS = 30_000;
const LOOK_MS = 20;

export class LiveServers {
  readonly #testbed: Testbed;
  readonly #plan: TrialPlan;
  readonly #folder: string;
  readonly #prefix: readonly string[];
  /** Without one, servers bind to nothing but loopback. */
  readonly #secret = randomBytes(16).toString("hex");
  readonly #running = new Map<ServerId, Running>();
  readonly #lives: { readonly server: ServerId; readonly running: Running; expected: boolean }[] = [];

  /** `prefix` comes before every command. */
  constructor(testbed: Testbed, plan: TrialPlan, folder: string, prefix: readonly string[]) {
    this.#testbed = testbed;
    this.#plan = plan;
    this.#folder = folder;
    this.#prefix = prefix;
  }

  /** Starts them and waits until all follow the first leader, whose process is there before the others. */
  async form(present: readonly ServerId[], signal: AbortSignal): Promise<void> {
    const { firstLeader } = this.#plan;
    const deadline = performance.now() + FORMATION_MS;
    const until = async (what: string, condition: () => boolean): Promise<void> => {
      while (!condition()) {
        signal.throwIfAborted();
        this.checkLiving();
        if (performance.now() > deadline) throw new Error(`within ${FORMATION_MS / 1e3} s ${what}`);
        await delay(LOOK_MS);
      }
    };
    await this.start(firstLeader, true);
    await until(`p${firstLeader} did not start`, () => hasSaid(this.#log(firstLeader), "listening"));
    await Promise.all(
      present.filter((server) => server !== firstLeader).map((server) => this.start(server, true)),
    );
    const follows = (server: ServerId): boolean =>
      eventsOf(this.#log(server), server, 0).some(
        ({ event }) => event.kind === "serving" && event.leader === firstLeader,
      );
    await until(`the ensemble was not led by p${firstLeader}`, () => present.every(follows));
  }

  /** Who comes later must judge as all others do by then, so only the first election has its own judge. */
  async start(server: ServerId, first = false): Promise<void> {
    const running = await this.#testbed.start(`p${server}`, {
      command: commandOf(this.#prefix, process.execPath, MAIN, ...this.#flags(server, first)),
      environment: { POLEBENCH_SECRET: this.#secret },
      log: this.#logFile(server),
    });
    this.#running.set(server, running);
    this.#lives.push({ server, running, expected: false });
    void running.exited.then(() => {
      if (this.#running.get(server) === running) this.#running.delete(server);
    });
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
      for (const { event } of eventsOf(this.#log(server), server, 0)) {
        if (event.kind !== "established" || (newest !== null && event.epoch <= newest.epoch)) continue;
        newest = { server, epoch: event.epoch };
      }
    }
    return newest?.server ?? null;
  }

  events(origin: number): readonly RecordedEvent[] {
    return [...this.#plan.topology.servers.keys()]
      .flatMap((server) => eventsOf(this.#log(server), server, origin))
      .sort((a, b) => a.at - b.at);
  }

  /** A server that ends although nobody killed it has found itself wrong: a finding, not a result. */
  checkLiving(): void {
    for (const { server, running, expected } of this.#lives) {
      if (expected || this.#running.get(server) === running) continue;
      throw new Error(`p${server} ended by itself:\n${this.#log(server).slice(-LAST_WORDS)}`);
    }
  }

  #log(server: ServerId): string {
    const file = this.#logFile(server);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  readonly #logFile = (server: ServerId): string => join(this.#folder, `p${server}.log`);

  #flags(self: ServerId, first: boolean): readonly string[] {
    const { oracle, election, heartbeat, firstLeader, state, topology } = this.#plan;
    const servers = [...topology.servers.keys()];
    const addressOf = (server: ServerId): string => this.#testbed.machine(`p${server}`).address;
    const flags: Record<string, string | number> = {
      id: self,
      servers: servers.map((server) => `${server}=${addressOf(server)}:${PEER_PORT}`).join(","),
      "data-dir": join(this.#folder, `p${self}`),
      "client-port": CLIENT_PORT,
      "max-client-cnxns": 0,
      oracle: oracle.name,
      election: election.name,
      "election-timeout": milliseconds(election.timeout),
      "known-down": election.knownDown ? "yes" : "no",
      heartbeat: milliseconds(heartbeat),
      "log-level": "debug",
      ...(oracle.preference.length === 0 ? {} : { preference: oracle.preference.join(",") }),
      ...(first ? { "first-leader": firstLeader } : {}),
      ...(state === null ? {} : { "history-bytes": state.historyBytes }),
    };
    return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  }
}

const milliseconds = (duration: Duration): string => `${duration / 1e3}ms`;
const LAST_WORDS = 2000;
