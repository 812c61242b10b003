/** The write clients as processes, one on the clients' machine of each site that has load. */

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ServicePlan } from "../../plan/plan.ts";
import { type ClientPlan, READY } from "../../workload/client-plan.ts";
import { OPERATIONS_HEADER, parseOperations, type WriteOperation } from "../../workload/operation.ts";
import { placesOf } from "../../workload/places.ts";
import { printSchedule, type Schedule } from "../../workload/schedule.ts";
import type { Running } from "../../testbed/infrastructure/infrastructure.ts";
import { commandOf, type Priority } from "../../testbed/priority.ts";
import { SYSTEMS } from "../../system/catalog.ts";
import { CLIENT_PORT } from "../../system/system.ts";
import { clientsOf } from "../../testbed/network/network.ts";
import type { Testbed } from "../../testbed/testbed.ts";
import { CannotRun } from "../../terminal/exit-code.ts";
import { NotFormed } from "../not-formed.ts";
import { Tail } from "./tail.ts";

const READY_MS = 40_000;
const LOOK_MS = 20;

export interface Setting {
  readonly folder: string;
  /** Of what runs on this host. */
  readonly priority: Priority;
  readonly signal: AbortSignal;
}

interface SiteProcess {
  readonly name: string;
  readonly running: Running;
  readonly operations: string;
}

export class LiveClients {
  readonly #sites: readonly SiteProcess[];
  readonly #startFile: string;

  private constructor(sites: readonly SiteProcess[], startFile: string) {
    this.#sites = sites;
    this.#startFile = startFile;
  }

  /** Ready when every client has its session and its znode. */
  static async start(
    testbed: Testbed,
    plan: ServicePlan,
    schedule: Schedule,
    { folder, priority, signal }: Setting,
  ): Promise<LiveClients> {
    const scheduleFile = join(folder, "schedule.txt");
    const startFile = join(folder, "start");
    writeFileSync(scheduleFile, printSchedule(schedule));
    const { system, workload } = plan.subject;
    const program = SYSTEMS[system].speakers.writers[workload.client];
    if (program === undefined)
      throw new CannotRun(`${SYSTEMS[system].title} has no ${workload.client} clients`);
    const sites: SiteProcess[] = [];
    for (const [name, clients] of Map.groupBy(schedule.clients, ({ site }) => site)) {
      const operations = join(folder, `operations-${name}.csv`);
      const told: ClientPlan = {
        site: name,
        schedule: scheduleFile,
        clients: clients.map((client) => ({
          id: client.id,
          servers: placesOf(client, plan.topology).map((server) => ({
            id: server,
            host: testbed.machine(`p${server}`).address,
          })),
        })),
        clientPort: CLIENT_PORT,
        startFile,
        operations,
        duration: plan.phases.duration,
        drain: plan.phases.drain,
      };
      const planFile = join(folder, `clients-${name}.json`);
      writeFileSync(planFile, JSON.stringify(told));
      const running = await testbed.startOutside(clientsOf(name), {
        command: commandOf(priority, [...program, planFile]),
        log: join(folder, `clients-${name}.log`),
      });
      sites.push({ name, running, operations });
    }
    const clients = new LiveClients(sites, startFile);
    await clients.#ready(signal);
    return clients;
  }

  get lives(): readonly (readonly [string, Running])[] {
    return this.#sites.map(({ name, running }) => [clientsOf(name), running]);
  }

  /** The load begins at this instant of the machine's monotonic clock. */
  begin(origin: number): void {
    const unfinished = `${this.#startFile}.new`;
    writeFileSync(unfinished, String(origin));
    renameSync(unfinished, this.#startFile);
  }

  /** Resolves when every request has ended. */
  async done(): Promise<void> {
    for (const { name, running } of this.#sites) {
      const { code, signal } = await running.exited;
      if (code !== 0)
        throw new Error(`the clients of ${name} ended with ${signal ?? code}:\n${saidBy(running)}`);
    }
  }

  /** Ends them before their time; they write down what they know. */
  async stop(): Promise<void> {
    await Promise.all(this.#sites.map(({ running }) => running.kill("SIGTERM")));
  }

  /** In order of completion. */
  operations(): readonly WriteOperation[] {
    const all = this.#sites.flatMap(({ operations }) => {
      if (!existsSync(operations)) return [];
      const parsed = parseOperations(readFileSync(operations, "utf8"));
      if (typeof parsed === "string") throw new Error(`${operations}: ${parsed}`);
      return parsed;
    });
    return inOrder(all);
  }

  /** What has ended since the last call, in order of completion. */
  follow(): () => readonly WriteOperation[] {
    const tails = this.#sites.map(({ operations }) => new Tail(operations));
    return () => {
      const fresh = tails.flatMap((tail) => {
        const lines = tail.lines();
        const parsed = parseOperations(
          lines.startsWith(OPERATIONS_HEADER) ? lines : OPERATIONS_HEADER + lines,
        );
        // What is wrong with it is told when the whole is read.
        return typeof parsed === "string" ? [] : parsed;
      });
      return inOrder(fresh);
    };
  }

  async #ready(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + READY_MS;
    for (const { name, running } of this.#sites) {
      while (!saidBy(running).includes(READY)) {
        signal.throwIfAborted();
        if (performance.now() > deadline) {
          throw new NotFormed(
            `the ensemble formed, but within ${READY_MS / 1e3} s not every client of ${name} had a session ` +
              `with its server. ${saidBy(running)}`.trim(),
          );
        }
        await delay(LOOK_MS);
      }
    }
  }
}

const inOrder = (operations: readonly WriteOperation[]): readonly WriteOperation[] =>
  operations.toSorted((a, b) => a.completed - b.completed || a.id - b.id);

const saidBy = ({ log }: Running): string => (existsSync(log) ? readFileSync(log, "utf8") : "");
