/**
 * A process of write clients, whatever protocol they speak: told by the file of a `ClientPlan`, ready when it
 * says so, and done when the load is over and everything was answered or given up.
 */

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { instant } from "#node/core/time.ts";
import { Alarm } from "#node/host/alarm.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { type ClientPlan, type PlannedClient, READY } from "./client-plan.ts";
import { OPERATIONS_HEADER, type Outcome, printOperation } from "./operation.ts";
import { parseSchedule, type Schedule } from "./schedule.ts";

/**
 * One client: it sends each request when it is due, whether or not earlier ones were answered, and tells once
 * of each what became of it. What was under way when a connection ended is unknown.
 */
export interface Writer {
  /** Resolves when it has a server, and its key is there. */
  readonly prepared: Promise<void>;
  /** Nothing is due or under way. */
  readonly isIdle: boolean;
  /** They go out together, at once or as soon as there is a connection. */
  due(ids: readonly number[]): void;
  /** The run is over; what was not answered will not be known. Resolves when it has nothing open. */
  finish(): Promise<void>;
}

/** What became of a request; instants in microseconds of the monotonic clock. */
export interface Ending {
  readonly client: number;
  readonly id: number;
  readonly server: number;
  readonly sent: number;
  readonly completed: number;
  readonly outcome: Outcome;
  /** Where it stands in the one order of all writes; 0 unless ok. */
  readonly zxid: number;
}

export interface WriterSurroundings {
  readonly payloadBytes: number;
  readonly clientPort: number;
  now(): number;
  ended(ending: Ending): void;
}

/** How often what has ended is written down, the end is looked for, and the start. */
const WRITE_MS = 500;
const END_MS = 200;
const LOOK_MS = 10;

/** Leaves when all is done. */
export async function writeFromSite(
  planFile: string,
  writerOf: (client: PlannedClient, around: WriterSurroundings) => Writer,
): Promise<never> {
  const plan = JSON.parse(readFileSync(planFile, "utf8")) as ClientPlan;
  const stopped = new Promise<void>((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
  await new SiteWriters(plan, writerOf).toEnd(stopped);
  process.exit(0);
}

class SiteWriters {
  readonly #plan: ClientPlan;
  readonly #schedule: Schedule;
  readonly #writers: ReadonlyMap<number, Writer>;
  #origin = 0;
  #lines: string[] = [];

  constructor(plan: ClientPlan, writerOf: (client: PlannedClient, around: WriterSurroundings) => Writer) {
    this.#plan = plan;
    this.#schedule = parseSchedule(readFileSync(plan.schedule, "utf8"));
    writeFileSync(plan.operations, OPERATIONS_HEADER);
    const { clientPort, clients } = plan;
    const { payloadBytes } = this.#schedule;
    const ended = (ending: Ending): void => this.#note(ending);
    const around = { payloadBytes, clientPort, now: monotonic, ended };
    this.#writers = new Map(clients.map((client) => [client.id, writerOf(client, around)]));
  }

  async toEnd(stopped: Promise<void>): Promise<void> {
    const writers = [...this.#writers.values()];
    await Promise.race([Promise.all(writers.map(({ prepared }) => prepared)), stopped]);
    console.log(READY);
    await Promise.race([this.#begun(), stopped]);
    if (this.#origin > 0) await Promise.race([this.#load(), stopped]);
    await Promise.all(writers.map((writer) => writer.finish()));
    this.#write();
  }

  #note({ client, id, server, sent, completed, outcome, zxid }: Ending): void {
    const intended = this.#schedule.intended[id] ?? 0;
    const times = { intended, sent: sent - this.#origin, completed: completed - this.#origin };
    const { site } = this.#plan;
    this.#lines.push(printOperation({ id, client, site, server, ...times, outcome, zxid }));
  }

  #write(): void {
    appendFileSync(this.#plan.operations, this.#lines.join(""));
    this.#lines = [];
  }

  async #begun(): Promise<void> {
    while (!existsSync(this.#plan.startFile)) await delay(LOOK_MS);
    this.#origin = Number(readFileSync(this.#plan.startFile, "utf8"));
  }

  /** Ends when everything was answered, or was waited for long enough. */
  async #load(): Promise<void> {
    const { intended, client: clientOf } = this.#schedule;
    const own = [...clientOf.keys()].filter((id) => this.#writers.has(clientOf[id] as number));
    const instants = Float64Array.from(own, (id) => this.#origin + (intended[id] as number));
    let done = 0;
    const alarm = await Alarm.open(() => {
      const [before, now] = [done, monotonic()];
      while (done < instants.length && (instants[done] as number) <= now) done += 1;
      const due = Map.groupBy(own.slice(before, done), (id) => clientOf[id] as number);
      for (const [client, ids] of due) this.#writers.get(client)?.due(ids);
      setAlarm();
    });
    const setAlarm = (): void => {
      const next = instants[done];
      if (next !== undefined) alarm.set(instant(next));
    };
    setAlarm();
    const writing = setInterval(() => this.#write(), WRITE_MS);
    const lastAnswer = this.#origin + this.#plan.duration + this.#plan.drain;
    const isOver = (): boolean =>
      done === own.length && [...this.#writers.values()].every(({ isIdle }) => isIdle);
    while (monotonic() < lastAnswer && !isOver()) await delay(END_MS);
    clearInterval(writing);
    await alarm.close();
  }
}
