/** `make fuzz`: every target in turn, for an equal share of the minutes, and how many inputs each took. */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fuzz, GROWTH_BYTES } from "./fuzz.ts";
import { TARGETS, type TargetName } from "./target.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now()) },
    target: { type: "string", multiple: true, default: Object.keys(TARGETS) },
  },
});
const names = values.target.filter((name): name is TargetName => Object.hasOwn(TARGETS, name));
const ms = (Number(values.minutes) * 60_000) / names.length;
const seed = Number(values.seed);
if (!(ms > 0) || !Number.isSafeInteger(seed) || names.length < values.target.length) {
  console.error(`usage: main.ts [--minutes 3] [--seed 1] [--target ${Object.keys(TARGETS).join("|")}]`);
  process.exit(64);
}
console.log(`seed ${seed}`);
let total = 0;
for (const name of names) {
  const { inputs, slowestMs, grownBytes, failure } = await fuzz(name, seed, { ms, inputs: Infinity });
  total += inputs;
  const heap = (grownBytes / 1e6).toFixed(1);
  const numbers = `${inputs} inputs, slowest ${slowestMs.toFixed(1)} ms, heap ${heap} MB`;
  console.log(`${name.padEnd(14)} ${numbers}`);
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
