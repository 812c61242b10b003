/** Has servers of a live trial lead, by the system's own program, which runs on one of their machines. */

import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { DONE } from "../../system/hand-over.ts";
import { child } from "../../testbed/child.ts";

export class HandOvers implements Disposable {
  readonly #program: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(command: readonly string[]) {
    this.#program = child(command, { stdin: "pipe", stderr: "inherit" });
    this.#answers = createInterface({ input: this.#program.stdout as Readable })[Symbol.asyncIterator]();
  }

  /** Null once it leads, or why it does not. */
  async order(to: number): Promise<string | null> {
    (this.#program.stdin as Writable).write(`${to}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) return "nobody is there to hand over";
    return value === DONE ? null : value;
  }

  [Symbol.dispose](): void {
    this.#program.kill("SIGKILL");
  }
}
