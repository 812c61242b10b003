/** A file that somebody else appends to: each time the whole lines that have come since the last. */

import { closeSync, openSync, readSync } from "node:fs";

const CHUNK = 1 << 20;

export class Tail {
  readonly #file: string;
  readonly #buffer = Buffer.allocUnsafe(CHUNK);
  #at = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Empty while there is no such file. */
  lines(): string {
    let opened: number;
    try {
      opened = openSync(this.#file, "r");
    } catch {
      return "";
    }
    try {
      let text = "";
      for (;;) {
        const length = readSync(opened, this.#buffer, 0, CHUNK, this.#at);
        const whole = this.#buffer.subarray(0, length).lastIndexOf(NEWLINE) + 1;
        if (whole === 0) return text;
        text += this.#buffer.toString("utf8", 0, whole);
        this.#at += whole;
      }
    } finally {
      closeSync(opened);
    }
  }
}

const NEWLINE = 10;
