/** `make fuzz`: every target in turn, each for the same time. */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { numberOf, recordOfPlain } from "../book/plain.ts";
import type { BookRecord } from "../book/record.ts";
import { enter } from "../book/store.ts";
import { environmentOf } from "../recording/environment.ts";
import { EXIT } from "#node/core/exit-code.ts";
import type { Tally } from "./fuzz.ts";
import { appendRecord, type Fuzzed } from "./record.ts";
import { TARGETS } from "./target.ts";
import { watched } from "./watch.ts";

const MODULE = new URL("target.ts", import.meta.url).href;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now()) },
    target: { type: "string", multiple: true, default: Object.keys(TARGETS) },
    record: { type: "string" },
  },
});
const names = values.target.flatMap((list) => list.split(","));
const seed = Number(values.seed);
const ms = (Number(values.minutes) * 60_000) / names.length;
if (!(ms > 0) || !Number.isSafeInteger(seed) || !names.every((name) => Object.hasOwn(TARGETS, name))) {
  const known = Object.keys(TARGETS).join(",");
  console.error(`usage: main.ts [--minutes 3] [--seed 1] [--target ${known}] [--record FOLDER]`);
  process.exit(EXIT.usage);
}

console.log(`seed ${seed}`);
const { commit, startedAt } = environmentOf("fuzz", "make fuzz");
for (const target of names) {
  const began = performance.now();
  const tally = await watched({ module: MODULE, target, seed, ms, inputs: Infinity });
  const reason = whatIsWrong(target, tally);
  const fuzzed: Fuzzed = {
    target,
    date: startedAt.slice(0, 10),
    commit,
    seed,
    seconds: Math.round((performance.now() - began) / 1000),
    inputs: tally.inputs,
    slowestMs: Math.round(tally.slowestMs),
    grownBytes: tally.grownBytes,
    found: tally.found,
    reached: tally.reached,
    // Where in our code is told now, and found again with the input that is kept.
    failure: reason?.split("\n")[0] ?? null,
  };
  print({ ...fuzzed, failure: reason });
  if (values.record !== undefined) {
    appendRecord(values.record, fuzzed);
    enter(values.record, null, recordOfFuzzing(fuzzed));
  }
  if (reason !== null) process.exitCode = EXIT.failed;
}

function recordOfFuzzing({ target, inputs, slowestMs, grownBytes, reached, failure }: Fuzzed): BookRecord {
  return recordOfPlain({
    kind: "fuzz",
    what: `${target}, seed ${seed}`,
    command: `make fuzz TARGET=${target} SEED=${seed}`,
    asked: [target],
    reasons: failure === null ? [] : [failure],
    numbers: {
      inputs: numberOf(inputs, "", "more"),
      slowest: numberOf(slowestMs, "ms", "less"),
      grown: numberOf(grownBytes, "B", "less"),
      reached: numberOf(reached, "B", "more"),
    },
  });
}

/** What it did wrong, or null; the input that did it is kept. */
function whatIsWrong(target: string, { failure }: Tally): string | null {
  if (failure === null || failure.input === null) return failure?.reason ?? null;
  const file = `${target}-${createHash("sha256").update(failure.input).digest("hex").slice(0, 12)}`;
  writeFileSync(fileURLToPath(new URL(`corpus/${file}`, import.meta.url)), failure.input);
  return `${failure.reason}\n  kept as orchestrator/fuzz/corpus/${file}`;
}

function print({ target, inputs, seconds, slowestMs, grownBytes, found, reached, failure }: Fuzzed): void {
  const heap = (grownBytes / 1e6).toFixed(1);
  console.log(
    `${target.padEnd(13)} ${inputs} inputs in ${seconds} s, slowest ${slowestMs} ms, heap ${heap} MB, ` +
      `${found} reached something new, ${(reached / 1e3).toFixed(1)} kB of sources in all`,
  );
  if (failure !== null) console.log(`FAIL: ${failure}`);
}
