/**
 * One member of a trial as a process on its machine: what it says is kept with its name. Like the servers it
 * is scheduled in real time, from when it stands on: while it begins it shall not keep others waiting.
 */

import { rmSync } from "node:fs";
import { monotonic } from "#node/host/monotonic.ts";
import type { Running } from "../testbed/infrastructure/infrastructure.ts";
import { hastened, type Priority } from "../testbed/priority.ts";
import type { MemberLine } from "./member-line.ts";
import type { Placed } from "./plan.ts";
import { Tail } from "./tail.ts";

export type Heard = MemberLine & { readonly member: string };

export class Member implements AsyncDisposable {
  readonly placed: Placed;
  readonly #start: (log: string) => Promise<Running>;
  readonly #priority: Priority;
  readonly #log: string;
  readonly #heard: (line: Heard) => void;
  #running: Running | null = null;
  #tail: Tail<MemberLine> | null = null;
  #stands = false;
  /** The term in which it acts, by what it said last. */
  #acts: number | null = null;
  /** Whether it stands still, and in which term it acted then. */
  #still: { readonly acts: number | null } | null = null;

  constructor(
    placed: Placed,
    log: string,
    start: (log: string) => Promise<Running>,
    priority: Priority,
    heard: (line: Heard) => void,
  ) {
    this.placed = placed;
    this.#log = log;
    this.#start = start;
    this.#priority = priority;
    this.#heard = heard;
  }

  get id(): string {
    return this.placed.id;
  }

  get acts(): boolean {
    return this.#acts !== null;
  }

  get stands(): boolean {
    return this.#stands;
  }

  get complaints(): string {
    return this.#tail?.complaints ?? "";
  }

  async start(): Promise<void> {
    rmSync(this.#log, { force: true });
    this.#tail = new Tail<MemberLine>(this.#log, (line) => this.#hear(line));
    this.#running = await this.#start(this.#log);
  }

  /** Ends it without a word; it acts no more. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
    this.#rest();
  }

  /** It leaves by itself. */
  async leave(): Promise<void> {
    await this.#end("SIGTERM");
    this.#rest();
  }

  async standStill(): Promise<void> {
    this.#still = { acts: this.#acts };
    await this.#running?.pause();
    this.#rest();
  }

  /** It believes what it believed. */
  async goOn(): Promise<void> {
    const acts = this.#still?.acts ?? null;
    this.#still = null;
    if (acts !== null) this.#hear({ at: monotonic() / 1e3, kind: "acts", term: acts });
    await this.#running?.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    await this.#running?.kill(signal);
    this.#running = null;
    this.#tail?.[Symbol.dispose]();
    this.#stands = false;
  }

  #rest(): void {
    if (this.#acts !== null) this.#hear({ at: monotonic() / 1e3, kind: "rests", term: this.#acts });
  }

  #hear(line: MemberLine): void {
    if (line.kind === "stands") {
      this.#stands = true;
      hastened(this.#priority, this.#running?.pid ?? null);
    }
    if (line.kind === "acts") this.#acts = line.term;
    if (line.kind === "rests") this.#acts = null;
    this.#heard({ ...line, member: this.id });
  }
}
