/** One member of a trial as a process: what it says is kept with its name. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { monotonic } from "#node/host/monotonic.ts";
import { child, DIE_WITH_PARENT } from "../testbed/child.ts";
import type { MemberLine } from "./member-line.ts";

const MAIN = fileURLToPath(new URL("member-main.ts", import.meta.url));

export type Heard = MemberLine & { readonly member: string };

export class MemberProcess {
  readonly id: string;
  readonly #args: readonly string[];
  readonly #heard: (line: Heard) => void;
  #process: ChildProcess | null = null;
  /** The term in which it acts, by what it said last. */
  #acts: number | null = null;

  constructor(id: string, args: readonly string[], heard: (line: Heard) => void) {
    this.id = id;
    this.#args = args;
    this.#heard = heard;
  }

  get acts(): boolean {
    return this.#acts !== null;
  }

  start(): void {
    const started = child([...DIE_WITH_PARENT, process.execPath, MAIN, ...this.#args], { stderr: "inherit" });
    this.#process = started;
    if (started.stdout === null) return;
    createInterface({ input: started.stdout }).on("line", (text) => {
      // What is told late by one that was killed meanwhile is still true.
      this.#hear(JSON.parse(text) as MemberLine);
    });
  }

  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT" | "SIGTERM"): void {
    this.#process?.kill(name);
  }

  /** Ends it without a word; it acts no more. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
    if (this.#acts !== null) this.#hear({ at: monotonic() / 1e3, kind: "rests", term: this.#acts });
  }

  /** It leaves by itself. */
  async leave(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const ending = this.#process;
    this.#process = null;
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, "close");
    ending.kill(signal);
    await ended;
  }

  #hear(line: MemberLine): void {
    if (line.kind === "acts") this.#acts = line.term;
    if (line.kind === "rests") this.#acts = null;
    this.#heard({ ...line, member: this.id });
  }
}
