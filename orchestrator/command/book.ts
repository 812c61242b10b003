/**
 * The book of results: `polebench book` prints it, `diff` sets two runs beside each other, `history` follows
 * a number over commits, and `regress` holds what was measured last against a baseline.
 */

import { writeFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { diffOf, type NumberDiff } from "../book/diff.ts";
import { type Export, EXPORTS } from "../book/exports.ts";
import { historyOf } from "../book/history.ts";
import { type BookRecord, merged } from "../book/record.ts";
import { CONCERN, regressions } from "../book/regression.ts";
import { BOOK, recordsAt } from "../book/store.ts";
import { printP } from "../report/comparison-differences.ts";
import { NOT_ENOUGH_RUNS } from "../statistics/middle.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { aligned } from "../terminal/table.ts";

interface BookFlags {
  readonly book: string;
}

interface NumbersFlags {
  readonly numbers?: string;
}

export function addBook(program: Command): void {
  const book = () =>
    new Option("--book <path>", "a book, or the folder of one").default("reports", `reports/${BOOK}`);
  const numbers = () => new Option("--numbers <list>", "only these, such as outage,mean.after");
  program
    .command("book")
    .argument("[path]", "a book, a record, or the folder of one or of a run", "reports")
    .description("prints what was run so far: every record, its attempts, whether it counts, its numbers")
    .addOption(new Option("--format <name>").choices(Object.keys(EXPORTS)).default("markdown"))
    .action((path: string, { format }: { readonly format: Export }) => {
      process.stdout.write(EXPORTS[format](recordsAt(path)));
    });
  program
    .command("diff <a> <b>")
    .description(
      "sets the numbers of two runs beside each other, paired by seed or repetition where both have it",
    )
    .addOption(numbers())
    .option("--json", "print one JSON document")
    .action((a: string, b: string, flags: NumbersFlags & { readonly json?: boolean }) => {
      diff(a, b, flags);
    });
  program
    .command("history <number>")
    .description("follows a number, such as outage or mean.after, over the commits that measured it")
    .addOption(book())
    .action((number: string, flags: BookFlags) => {
      process.exitCode = history(number, flags);
    });
  program
    .command("regress <baseline>")
    .description("holds the last runs of the book against a baseline, or writes one")
    .addOption(book())
    .addOption(numbers())
    .option("--write", "what the book has now becomes the baseline")
    .action((file: string, flags: BookFlags & NumbersFlags & { readonly write?: boolean }) => {
      process.exitCode = regress(file, flags);
    });
}

const namesIn = ({ numbers }: NumbersFlags): readonly string[] | null =>
  numbers === undefined ? null : numbers.split(",").map((name) => name.trim());

function diff(a: string, b: string, flags: NumbersFlags & { readonly json?: boolean }): void {
  const [one, other] = [a, b].map(onlyRecord) as [BookRecord, BookRecord];
  const rows = diffOf(one, other, namesIn(flags));
  if (flags.json === true) {
    console.log(JSON.stringify({ a: one.what, b: other.what, numbers: rows }, null, 1));
    return;
  }
  const sides = [one, other].map(({ what, sources, attempts, validity }, index) => {
    const tried = `${attempts.counted} of ${attempts.made} attempts count`;
    return `${index === 0 ? "a" : "b"}: ${what}, ${sources.commit}: ${validity}, ${tried}`;
  });
  if (one.question !== other.question)
    sides.push("They were asked different things: a and b differ in their plans.");
  console.log([...sides, ...aligned([HEAD, ...rows.map(rowOf)])].join("\n"));
}

const HEAD = ["", "", "a", "b", "b minus a", "95 %", "pairs", "p (Holm)", ""];

function rowOf({ name, unit, a, b, pairs, shift, p, verdict }: NumberDiff): readonly string[] {
  const { low = null, high = null } = shift ?? {};
  const interval = low === null || high === null ? "" : `${low.toFixed(2)} to ${high.toFixed(2)}`;
  const between = (shift?.mean ?? b - a).toFixed(2);
  const chance = p === null ? "" : printP(p);
  return [name, unit, a.toFixed(2), b.toFixed(2), between, interval, String(pairs), chance, verdict];
}

/** Of a folder or file that has one, or many that are of one question and code. */
function onlyRecord(path: string): BookRecord {
  const [only, ...more] = merged(recordsAt(path));
  if (only === undefined) throw new RefusedInput(`${path}: there is no record in it`);
  if (more.length > 0)
    throw new RefusedInput(`${path}: it has ${more.length + 1} records; name the folder of one run`);
  return only;
}

function history(number: string, { book }: BookFlags): number {
  const found = historyOf(recordsAt(book), number);
  if (found.length === 0) throw new RefusedInput(`${book}: no record has a number "${number}"`);
  for (const { what, kind, name, unit, moments, noise } of found) {
    const apart = noise === null ? "no arm was run twice" : `A/A noise ${noise.toFixed(2)} ${unit}`;
    console.log(`${kind}: ${what}: ${name} (${apart})`);
    const rows = moments.map(({ at, commit, runs, value }) => [
      at,
      commit,
      String(runs),
      `${value.middle.toFixed(2)} ${unit}`.trim(),
      value.low === null || value.high === null
        ? NOT_ENOUGH_RUNS
        : `${value.low.toFixed(2)} to ${value.high.toFixed(2)}`,
    ]);
    const lines = aligned([["first run", "commit", "runs", "median", "95 %"], ...rows]);
    console.log(lines.map((line) => `  ${line}`).join("\n"));
  }
  return EXIT.passed;
}

function regress(
  file: string,
  { book, write, ...flags }: BookFlags & NumbersFlags & { readonly write?: boolean },
): number {
  if (write === true) {
    const records = merged(recordsAt(book)).filter(({ validity }) => validity === "valid");
    writeFileSync(file, EXPORTS.json(records));
    console.log(`${records.length} records: ${file}`);
    return EXIT.passed;
  }
  const found = regressions(recordsAt(file), recordsAt(book), namesIn(flags));
  for (const { what, now, worse, better, open } of found) {
    const code = now === null ? "not run" : now.sources.commit;
    console.log(`${what}: ${code}: ${worse.length} worse, ${better.length} better, ${open.length} open`);
    for (const [word, rows] of [
      ["worse", worse],
      ["better", better],
    ] as const) {
      for (const { name, unit, a, b, p } of rows)
        console.log(`  ${word}: ${name}: ${a.toFixed(2)} to ${b.toFixed(2)} ${unit} (p = ${printP(p ?? 1)})`);
    }
    if (open.length > 0) console.log(`  ${NOT_ENOUGH_RUNS}: ${open.map(({ name }) => name).join(", ")}`);
  }
  console.log(`worse: beyond chance, and by more than ${100 * CONCERN} %`);
  if (found.some(({ worse }) => worse.length > 0)) return EXIT.failed;
  return found.every(({ now, open }) => now !== null && open.length === 0) ? EXIT.passed : EXIT.unknown;
}
