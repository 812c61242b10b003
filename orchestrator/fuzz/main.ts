/**
 * `make fuzz`: every target in turn. Targets differ in speed a hundredfold (a whole YAML file against a few
 * bytes of a greeting), so each gets the share of the minutes in which it takes as many inputs as the others.
 */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fuzz, GROWTH_BYTES, shares } from "./fuzz.ts";
import { TARGETS, type TargetName } from "./target.ts";

/** Long enough for the compiler to have seen what is hot. */
const TRIAL_MS = 1000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now()) },
    target: { type: "string", multiple: true, default: Object.keys(TARGETS) },
  },
});
const names = values.target.filter((name): name is TargetName => Object.hasOwn(TARGETS, name));
const ms = Number(values.minutes) * 60_000;
const seed = Number(values.seed);
if (!(ms > 0) || !Number.isSafeInteger(seed) || names.length < values.target.length) {
  console.error(`usage: main.ts [--minutes 3] [--seed 1] [--target ${Object.keys(TARGETS).join("|")}]`);
  process.exit(64);
}
console.log(`seed ${seed}`);
const speeds: number[] = [];
for (const name of names) {
  const trialMs = Math.min(TRIAL_MS, ms / names.length / 10);
  speeds.push((await fuzz(name, seed, { ms: trialMs, inputs: Infinity })).inputs / trialMs);
}
let total = 0;
for (const [index, share] of shares(speeds).entries()) {
  const name = names[index] as TargetName;
  const budget = { ms: ms * share, inputs: Infinity };
  const { inputs, slowestMs, grownBytes, failure } = await fuzz(name, seed, budget);
  total += inputs;
  const heap = (grownBytes / 1e6).toFixed(1);
  const numbers = `${inputs} inputs in ${(budget.ms / 1e3).toFixed(0)} s, slowest ${slowestMs.toFixed(1)} ms`;
  console.log(`${name.padEnd(14)} ${numbers}, heap ${heap} MB`);
  if (failure !== null) {
    const file = `${name}-${createHash("sha256").update(failure.input).digest("hex").slice(0, 12)}`;
    writeFileSync(fileURLToPath(new URL(`corpus/${file}`, import.meta.url)), failure.input);
    console.log(`FAIL: ${failure.reason}\n  kept as orchestrator/fuzz/corpus/${file}`);
    process.exitCode = 1;
  } else if (grownBytes > GROWTH_BYTES) {
    console.log(`FAIL: ${name} keeps ${grownBytes} bytes of what it was fed`);
    process.exitCode = 1;
  }
}
console.log(`${total} inputs in all`);
