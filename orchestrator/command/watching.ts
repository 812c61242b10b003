/**
 * Who looks on at the trials of a command: browsers that have the link (`--watch`), a program that reads the
 * stream (`--events -`), or nobody. What they read slowly they are told slowly; no trial waits for them.
 */

import { createWriteStream, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { ServiceSummary } from "../measure/summary.ts";
import type { Threshold } from "../measure/threshold.ts";
import type { ElectionPlan, ServicePlan } from "../plan/plan.ts";
import type { Hand, Strike } from "../runner/live/by-hand.ts";
import type { Observer } from "../runner/observer.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { GroupStream } from "../view/group-stream.ts";
import { History } from "../view/history.ts";
import type { StreamRecord } from "../view/record.ts";
import { ViewServer } from "../view/server.ts";
import { Stream } from "../view/stream.ts";

export interface WatchFlags {
  /** True, or a port. */
  readonly watch?: string | boolean;
  readonly events?: string;
  readonly handsOn?: boolean;
  readonly json?: boolean;
}

/** `--hands-on` is for commands whose trials need not be what was planned. */
export function withWatchFlags(command: Command, { handsOn = false } = {}): Command {
  command
    .option(
      "--watch [port]",
      "serve a page on which one can look on, at this machine only, and print its link",
    )
    .option("--events <where>", "write what happens as NDJSON while it does: - for stdout, or a file");
  if (handsOn) command.option("--hands-on", "take faults by click on that page, while the load lasts");
  return command;
}

const PUMP_MS = 100;
/** For a program to read what it has not read yet. */
const FAREWELL_MS = 2000;
const UNREAD_BYTES = 1 << 20;

export class Watching implements AsyncDisposable {
  /** What is told to people goes there. */
  readonly say: (text: string) => void;
  readonly hand: Hand | null;
  readonly #history: History | null;
  readonly #closing: (() => Promise<void>)[] = [];
  #strike: Strike | null = null;
  #stream: Stream | null = null;

  static async begin(flags: WatchFlags): Promise<Watching> {
    const { watch, events, handsOn = false, json = false } = flags;
    const port = portOf(watch);
    if (handsOn && port === null) throw new RefusedInput("--hands-on is for the page: add --watch");
    if (events === "-" && json)
      throw new RefusedInput("--json and --events - both want stdout: give --events a file");
    const watching = new Watching(port !== null || events !== undefined, events === "-", handsOn);
    if (events !== undefined) watching.#tell(events === "-" ? outOf(1) : outOf(opened(events)));
    if (port !== null) await watching.#serve(port, handsOn);
    return watching;
  }

  private constructor(isWatched: boolean, isOnStdout: boolean, handsOn: boolean) {
    this.#history = isWatched ? new History() : null;
    this.say = isOnStdout ? (text) => console.error(text) : (text) => console.log(text);
    const give = (strike: Strike | null): void => {
      this.#strike = strike;
    };
    this.hand = handsOn ? { give, take: () => give(null) } : null;
  }

  /** A trial begins; null when nobody looks on. */
  trial(plan: ServicePlan, thresholds: readonly Threshold[]): Observer | null {
    const history = this.#history;
    if (history === null) return null;
    const add = (record: StreamRecord): void => history.add(record);
    this.#stream = new Stream(plan, { thresholds, handsOn: this.hand !== null }, add);
    return this.#stream;
  }

  /** An election by itself begins; null when nobody looks on. */
  election(plan: ElectionPlan): GroupStream | null {
    const history = this.#history;
    if (history === null) return null;
    const stream = new GroupStream(plan, (record) => history.add(record));
    this.#stream = null;
    return stream;
  }

  phase(name: string): void {
    this.#stream?.phase(name);
  }

  /** What came of it. */
  end(summary: ServiceSummary): void {
    this.#stream?.end(summary);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closing) await close();
  }

  async #serve(port: number, handsOn: boolean): Promise<void> {
    const history = this.#history ?? new History();
    const later = "faults by hand are taken while the load lasts";
    const strike = (words: string): Promise<string | null> =>
      this.#strike === null ? Promise.resolve(later) : this.#strike(words);
    const view = await ViewServer.open({ history, port, strike: handsOn ? strike : null });
    this.#closing.push(() => view[Symbol.asyncDispose]());
    console.error(`watch: ${view.link}`);
  }

  #tell(out: Writable): void {
    const history = this.#history ?? new History();
    let isOpen = true;
    // Whoever read it has gone; the trial goes on.
    out.on("error", () => {
      isOpen = false;
    });
    const leave = history.join({
      hasRoom: () => isOpen && out.writableLength < UNREAD_BYTES,
      take: (records) => out.write(records.map((record) => `${JSON.stringify(record)}\n`).join("")),
    });
    const pumping = setInterval(() => history.pump(), PUMP_MS);
    this.#closing.push(async () => {
      const patience = performance.now() + FAREWELL_MS;
      const isOwed = (): boolean => isOpen && (!history.isTold || out.writableLength > 0);
      for (history.pump(); isOwed() && performance.now() < patience; history.pump()) await delay(PUMP_MS / 5);
      clearInterval(pumping);
      leave();
      out.destroy();
    });
  }
}

function portOf(watch: WatchFlags["watch"]): number | null {
  if (watch === undefined || watch === false) return null;
  if (watch === true || watch === "") return 0;
  if (!/^[0-9]{1,5}$/.test(String(watch)) || Number(watch) > 65_535)
    throw new RefusedInput(
      `--watch: "${String(watch)}" is no port; any that is free is taken when none is given`,
    );
  return Number(watch);
}

/** A pipe that nobody reads must not hold this process up, as `process.stdout` would. */
function outOf(fd: number): Writable {
  const stat = fstatSync(fd);
  return stat.isFIFO() || stat.isSocket()
    ? new Socket({ fd, readable: false })
    : createWriteStream("", { fd });
}

function opened(file: string): number {
  try {
    return openSync(file, "w");
  } catch (error) {
    throw new RefusedInput(`--events: ${(error as Error).message}`);
  }
}
