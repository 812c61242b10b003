/**
 * Questions and answers, one JSON document a line, with a child process; answers come in the order of the
 * questions.
 */

import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { assert } from "#node/core/assert.ts";

interface Waiting {
  readonly resolve: (line: string) => void;
  readonly reject: (error: Error) => void;
}

export class Conversation {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #waiting: Waiting[] = [];
  #complaint = "";
  #ended: Error | null = null;

  constructor(child: ChildProcess, name: string) {
    this.#child = child;
    this.#name = name;
    assert(child.stdout !== null && child.stdin !== null, `${name} has no pipes`);
    createInterface({ input: child.stdout }).on("line", (line) => this.#waiting.shift()?.resolve(line));
    child.stdin.on("error", () => {});
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-4000);
    });
    child.on("error", (error) => this.#end(error.message));
    child.on("close", (code, signal) => this.#end(`ended with ${signal ?? code}`));
  }

  async ask<Answer>(question: unknown): Promise<Answer> {
    if (this.#ended !== null) throw this.#ended;
    const line = await new Promise<string>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin?.write(`${JSON.stringify(question)}\n`);
    });
    return JSON.parse(line) as Answer;
  }

  /** Closes the questions, which is how these processes are told to leave, and waits until it has left. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined)
      return;
    const closed = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 2000);
    await closed;
    clearTimeout(timer);
  }

  #end(how: string): void {
    const complaint = /^.*Error: .*$/m.exec(this.#complaint)?.[0] ?? this.#complaint.trim();
    this.#ended ??= new Error(`${this.#name} ${how}${complaint === "" ? "" : `: ${complaint}`}`);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#ended);
  }
}
