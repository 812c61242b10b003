/**
 * What was measured, attempt by attempt, in a file that is only added to: so a bench that was stopped goes on
 * where it was, and what does not count is kept beside what does.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Values } from "./metric.ts";

/** One scenario of one arm in one repetition. */
export interface Cell {
  readonly repetition: number;
  readonly scenario: string;
  readonly arm: string;
}

export interface Attempt extends Cell {
  /** Of what decides the numbers: another one is another bench. */
  readonly terms: string;
  /** ISO 8601. */
  readonly at: string;
  readonly judgement: "valid" | "invalid";
  /** Why it does not count. */
  readonly reason: string | null;
  readonly values: Values;
}

export class AttemptFile {
  readonly #file: string;
  readonly #terms: string;
  readonly #attempts: Attempt[];

  /** `terms`: only attempts under the same are taken up again. */
  constructor(file: string, terms: string) {
    this.#file = file;
    this.#terms = terms;
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    // A last line that was cut off was not measured.
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole.length < text.length) writeFileSync(file, whole);
    this.#attempts = whole
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Attempt);
  }

  /** Under these terms, in the order in which they were made. */
  get all(): readonly Attempt[] {
    return this.#attempts.filter(({ terms }) => terms === this.#terms);
  }

  of({ repetition, scenario, arm }: Cell): readonly Attempt[] {
    return this.all.filter(
      (one) => one.repetition === repetition && one.scenario === scenario && one.arm === arm,
    );
  }

  add(attempt: Omit<Attempt, "terms" | "at">): void {
    const whole = { ...attempt, terms: this.#terms, at: new Date().toISOString() };
    this.#attempts.push(whole);
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, `${JSON.stringify(whole)}\n`);
  }
}
