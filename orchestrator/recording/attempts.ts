/**
 * What was tried and came to nothing is not forgotten. A run that is no result (invalid, unknown, or broken
 * before it left anything) is set aside in its folder as attempt-1, attempt-2 and so on, with the reason;
 * the folder itself holds the last. Who may try until it fits, and keeps the fitting one, measures nothing:
 * reports say how many of how many count.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ServicePlan } from "../plan/plan.ts";
import { printPlan } from "../plan/plan-text.ts";
import { sourcesAsLoaded } from "./sources.ts";

const attempt = z.object({
  format: z.literal("polebench attempt 1"),
  judgement: z.enum(["invalid", "unknown", "broken"]),
  /** Why it is no result, in a line. */
  reason: z.string(),
  /** What was asked: see `questionOf`. */
  of: z.string(),
});

export type Attempt = Omit<z.infer<typeof attempt>, "format">;

export interface KeptAttempt extends Attempt {
  /** Of its folder. */
  readonly name: string;
}

/** Equal for equal plans, carried out by equal code: only then is one more run another attempt. */
export const questionOf = (plan: ServicePlan): string =>
  createHash("sha256")
    .update(printPlan(plan))
    .update(sourcesAsLoaded(plan.subject.oracle.module))
    .digest("hex")
    .slice(0, 12);

/** In the order in which they were made. */
export function attemptsIn(folder: string): readonly KeptAttempt[] {
  return namesIn(folder)
    .filter(isAttempt)
    .sort((a, b) => numberOf(a) - numberOf(b))
    .flatMap((name) => {
      const file = join(folder, name, FILE);
      if (!existsSync(file)) return [];
      const parsed = attempt.safeParse(JSON.parse(readFileSync(file, "utf8")));
      return parsed.success ? [{ name, ...parsed.data }] : [];
    });
}

/** Everything in the folder but earlier attempts, which may be nothing. */
export function setAside(folder: string, why: Attempt): void {
  mkdirSync(folder, { recursive: true });
  const names = namesIn(folder);
  const last = Math.max(0, ...names.filter(isAttempt).map(numberOf));
  const own = join(folder, `attempt-${last + 1}`);
  mkdirSync(own);
  for (const name of names.filter((one) => !isAttempt(one))) renameSync(join(folder, name), join(own, name));
  writeFileSync(join(own, FILE), `${JSON.stringify({ format: "polebench attempt 1", ...why }, null, 1)}\n`);
}

/** Attempts at another question say nothing about this one. */
export function forgetOthers(folder: string, question: string): void {
  for (const { name, of } of attemptsIn(folder)) {
    if (of !== question) rmSync(join(folder, name), { recursive: true });
  }
}

const FILE = "attempt.json";
const isAttempt = (name: string): boolean => /^attempt-[1-9][0-9]*$/.test(name);
const numberOf = (name: string): number => Number(name.slice("attempt-".length));
const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
