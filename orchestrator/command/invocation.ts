/**
 * What was asked for, left in the folder of a comparison, of repetitions or of a paper: with it and with what
 * the runs left, the page can be made again at any time.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { RefusedInput } from "../terminal/problem.ts";
import { RUNTIMES } from "../plan/plan.ts";
import { COMPARED } from "../report/comparison-report.ts";

const comparison = z.object({
  format: z.literal("polebench comparison asked 1"),
  command: z.string(),
  title: z.string(),
  /** What the arms are. */
  kind: z.enum(COMPARED).default("oracle"),
  notes: z.array(z.string()).default([]),
  arms: z.array(z.string()),
  cells: z.array(
    z.object({
      id: z.string(),
      arm: z.string(),
      repetition: z.number(),
      /** Of the run, seen from here; below `cells` when not given. */
      folder: z.string().optional(),
    }),
  ),
});

const paper = z.object({
  format: z.literal("polebench paper asked 1"),
  command: z.string(),
  figures: z.array(z.string()),
  setting: z.object({
    runtime: z.enum(RUNTIMES),
    quick: z.boolean(),
    repetitions: z.number(),
    seed: z.number(),
    megabytes: z.array(z.number()),
  }),
});

export type AskedComparison = z.infer<typeof comparison>;
export type AskedPaper = z.infer<typeof paper>;
export type Invocation = z.input<typeof comparison> | AskedPaper;

const asked = z.discriminatedUnion("format", [comparison, paper]);
const NAME = "asked.json";

export function writeAsked(folder: string, what: Invocation): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, NAME), `${JSON.stringify(what, null, 1)}\n`);
}

/** Null when it is the folder of a single run, or of nothing at all. */
export function readAsked(folder: string): AskedComparison | AskedPaper | null {
  const file = join(folder, NAME);
  if (!existsSync(file)) return null;
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new RefusedInput(`${file}: no JSON`);
  }
  const parsed = asked.safeParse(json);
  if (!parsed.success) throw new RefusedInput(`${file}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
