/** What a process has said, as whole lines of JSON, as it comes. Other lines are its complaints. */

import { closeSync, openSync, readSync } from "node:fs";

const LOOK_MS = 5;
const AT_ONCE = 1 << 16;

export class Tail<Line> implements Disposable {
  readonly #file: string;
  readonly #heard: (line: Line) => void;
  readonly #looking: NodeJS.Timeout;
  readonly #buffer = Buffer.alloc(AT_ONCE);
  #read = 0;
  #rest = "";
  complaints = "";

  constructor(file: string, heard: (line: Line) => void) {
    this.#file = file;
    this.#heard = heard;
    this.#looking = setInterval(() => this.look(), LOOK_MS);
  }

  /** Takes whatever is there now. */
  look(): void {
    const file = openSync(this.#file, "a+");
    try {
      for (;;) {
        const count = readSync(file, this.#buffer, 0, AT_ONCE, this.#read);
        if (count === 0) return;
        this.#read += count;
        this.#take(this.#buffer.toString("utf8", 0, count));
      }
    } finally {
      closeSync(file);
    }
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("{")) this.#heard(JSON.parse(line) as Line);
      else if (line !== "") this.complaints = `${this.complaints}${line}\n`.slice(-MOST_COMPLAINTS);
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#looking);
    this.look();
  }
}

const MOST_COMPLAINTS = 2000;
