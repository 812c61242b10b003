/**
 * Where records are: one in the folder of what was run, and a line in the book beside all folders, so that
 * what is run into a folder again is not lost from the book.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSummary } from "../measure/summary.ts";
import { attemptsIn } from "../recording/attempts.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { type BookRecord, parseRecord } from "./record.ts";
import { recordOfTrial } from "./trial.ts";

export const BOOK = "book.ndjson";
const RECORD = "record.json";

/** `out`: where reports go. `folder`: of what was run, where it has one. */
export function enter(out: string, folder: string | null, record: BookRecord): void {
  mkdirSync(out, { recursive: true });
  appendFileSync(join(out, BOOK), `${JSON.stringify(record)}\n`);
  if (folder !== null) writeFileSync(join(folder, RECORD), `${JSON.stringify(record, null, 1)}\n`);
}

/** Of a book, a record's file, or the folder of what was run. A line that was cut off is left out. */
export function recordsAt(path: string): readonly BookRecord[] {
  if (!existsSync(path)) throw new RefusedInput(`${path}: there is no such file or folder`);
  if (!statSync(path).isDirectory()) return recordsIn(path);
  for (const name of [RECORD, BOOK]) if (existsSync(join(path, name))) return recordsIn(join(path, name));
  const file = join(path, "summary.json");
  if (!existsSync(file)) throw new RefusedInput(`${path}: no ${RECORD}, ${BOOK} or summary.json is there`);
  const summary = parseSummary(readFileSync(file, "utf8"));
  if (typeof summary === "string") throw new RefusedInput(`${file}: ${summary}`);
  return [recordOfTrial(summary, attemptsIn(path).length)];
}

function recordsIn(file: string): readonly BookRecord[] {
  const text = readFileSync(file, "utf8");
  if (!file.endsWith(".ndjson")) {
    const json = jsonOf(file, text);
    return (Array.isArray(json) ? json : [json]).map((one) => checked(file, one));
  }
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .flatMap((line, index) =>
      line === "" ? [] : [checked(`${file}:${index + 1}`, jsonOf(`${file}:${index + 1}`, line))],
    );
}

function jsonOf(where: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusedInput(`${where}: no JSON`);
  }
}

function checked(where: string, json: unknown): BookRecord {
  const record = parseRecord(json);
  if (typeof record === "string") throw new RefusedInput(`${where}: no record of the book: ${record}`);
  return record;
}
