// What is known from before: a line for each answer, so that a run that was ended goes on where it was, and
// one after a new test asks only what the test may have changed. An answer holds as long as the text that was
// mutated and the tests that were asked are the same; a death, as long as the test that saw it is.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

export const digest = (...parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24);

export class Ledger<T> {
  readonly #path: string;
  readonly #known = new Map<string, T>();

  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, "utf8").split("\n")) {
      // The last line of a run that was ended may be cut.
      if (!line.endsWith("}")) continue;
      // Written below.
      const { key, value } = JSON.parse(line) as { key: string; value: T };
      this.#known.set(key, value);
    }
  }

  get(key: string): T | undefined {
    return this.#known.get(key);
  }

  set(key: string, value: T): void {
    this.#known.set(key, value);
    appendFileSync(this.#path, `${JSON.stringify({ key, value })}\n`);
  }
}
