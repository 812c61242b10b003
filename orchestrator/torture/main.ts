/** `make torture`: tortures for so many minutes, run after run, and says what every run found. */

import { parseArgs } from "node:util";
import { type Mutant, MUTANTS } from "#node/core/mutant.ts";
import { torture } from "./torture.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now() % 1e6) },
    system: { type: "string", default: "polebench" },
    mutant: { type: "string", default: "" },
    servers: { type: "string", default: "3" },
    clients: { type: "string", default: "8" },
  },
});
const RUN_SECONDS = 60;
const minutes = Number(values.minutes);
const { system, mutant } = values;
if ((system !== "polebench" && system !== "zookeeper") || !(minutes > 0)) {
  console.error("usage: main.ts [--minutes 3] [--seed 1] [--system polebench|zookeeper] [--mutant NAME]");
  process.exit(64);
}
const seconds = Math.min(RUN_SECONDS, minutes * 60);
for (let run = 0; run < Math.max(1, Math.round((minutes * 60) / seconds)); run++) {
  const seed = Number(values.seed) + run;
  const outcome = await torture({
    system,
    mutant: Object.hasOwn(MUTANTS, mutant) ? (mutant as Mutant) : null,
    seed,
    seconds,
    servers: Number(values.servers),
    clients: Number(values.clients),
  });
  const faults = [...outcome.strikes.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `seed ${seed}: ${outcome.verdict.judgement}; ${faults} faults of ${outcome.strikes.size} kinds, ` +
      `${outcome.operations} operations, ${outcome.acknowledged} acknowledged, ` +
      `serving ${Math.round(outcome.healedMs)} ms after the last`,
  );
  for (const { property, judgement, operations, reasons } of outcome.verdict.findings) {
    console.log(`  ${judgement.padEnd(8)} ${property} (${operations})`);
    for (const reason of reasons.slice(0, 3)) console.log(`             ${reason.slice(0, 800)}`);
  }
  if (outcome.verdict.judgement === "invalid") process.exitCode = 1;
}
process.exit();
