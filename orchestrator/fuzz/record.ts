/**
 * What was fuzzed when, remembered: a line of JSON for each time that a target was fed, and beside it a page
 * for people, made anew from all lines.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markdown } from "../terminal/table.ts";

export interface Fuzzed {
  readonly target: string;
  readonly date: string;
  readonly commit: string;
  readonly seed: number;
  readonly seconds: number;
  readonly inputs: number;
  readonly slowestMs: number;
  readonly grownBytes: number;
  readonly found: number;
  readonly reached: number;
  readonly failure: string | null;
}

export function appendRecord(folder: string, fuzzed: Fuzzed): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "runs.ndjson");
  appendFileSync(file, `${JSON.stringify(fuzzed)}\n`);
  writeFileSync(join(folder, "README.md"), pageOf(readRecord(file)));
}

export function readRecord(file: string): readonly Fuzzed[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Fuzzed] : []));
}

export function pageOf(record: readonly Fuzzed[]): string {
  const targets = Map.groupBy(record, ({ target }) => target);
  const rows = [...targets].map(([target, runs]) => [target, ...figuresOf(runs).map(String)]);
  const total = record.reduce((sum, { inputs }) => sum + inputs, 0);
  const failures = record.flatMap(({ target, commit, seed, failure }) =>
    failure === null ? [] : [`- ${target}, commit ${commit}, seed ${seed}: ${failure.split("\n")[0]}`],
  );
  const failed = `\nWhat failed:\n\n${failures.join("\n")}\n`;
  return `# Fuzzing: ${count(total)} inputs

Made by \`make fuzz RECORD=reports/fuzz\` from \`runs.ndjson\`, one line for each time that a target was fed.
An input fails when the target throws, does not come back, or keeps a processor busy for more than a second;
a target, when it keeps more than 32 MiB of all inputs. What was found is an input that reached a function or
a branch that none before it had reached; sources reached are ours alone, comments within functions counted.

${markdown(COLUMNS, rows)}
${failures.length === 0 ? "" : failed}`;
}

const COLUMNS = [
  "target",
  "times",
  "seeds",
  "commits",
  "minutes",
  "inputs",
  "slowest input",
  "heap grew by",
  "found",
  "sources reached",
  "failed",
];

function figuresOf(runs: readonly Fuzzed[]): readonly (string | number)[] {
  const sum = (of: (run: Fuzzed) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const most = (of: (run: Fuzzed) => number): number => Math.max(...runs.map(of));
  return [
    runs.length,
    [...new Set(runs.map(({ seed }) => seed))].join(", "),
    [...new Set(runs.map(({ commit }) => commit))].join(", "),
    (sum(({ seconds }) => seconds) / 60).toFixed(1),
    count(sum(({ inputs }) => inputs)),
    `${most(({ slowestMs }) => slowestMs)} ms`,
    `${(most(({ grownBytes }) => grownBytes) / 1e6).toFixed(1)} MB`,
    most(({ found }) => found),
    `${(most(({ reached }) => reached) / 1e3).toFixed(1)} kB`,
    sum(({ failure }) => (failure === null ? 0 : 1)),
  ];
}

const count = (value: number): string => value.toLocaleString("en");
