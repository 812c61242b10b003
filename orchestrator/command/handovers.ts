/** `polebench handovers`: leaders that give their place away of their own accord, in virtual time. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as breath } from "node:timers/promises";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { HANDOVER_EXPERIMENTS } from "../experiments/handovers/catalog.ts";
import { commitAsLoaded, environmentOf } from "../recording/environment.ts";
import { provenanceOf } from "../recording/provenance.ts";
import { sourcesAsLoaded } from "../recording/sources.ts";
import { type ExperimentFound, writeHandoverReport } from "../report/handover-report.ts";
import { interruption } from "../terminal/interrupted.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { aligned } from "../terminal/table.ts";
import { commandLine } from "./command-line.ts";
import { countOf } from "./trial-flags.ts";

interface HandoversFlags {
  readonly experiment: string;
  readonly seed?: string;
  readonly quick?: boolean;
  readonly out: string;
}

const NAMES = HANDOVER_EXPERIMENTS.map(({ name }) => name);

export function addHandovers(program: Command): void {
  program
    .command("handovers")
    .description("leaders that give their place to better ones: clients that wait, and a day of three sites")
    .option("--experiment <name>", `all, ${NAMES.join(", ")}`, "all")
    .option("--seed <number>", "of the load")
    .option("--quick", "shorter")
    .option("--out <folder>", "where reports go", "reports")
    .action(async (flags: HandoversFlags) => {
      process.exitCode = await handovers(flags);
    });
}

async function handovers(flags: HandoversFlags): Promise<number> {
  const { experiment: name } = flags;
  const chosen = HANDOVER_EXPERIMENTS.filter((one) => name === "all" || one.name === name);
  if (chosen.length === 0)
    throw new RefusedInput(`--experiment: there is no "${name}"${suggestion(name, ["all", ...NAMES])}`);
  const quick = flags.quick === true;
  const seed = countOf("seed", flags.seed, 1);
  const found: ExperimentFound[] = [];
  using stop = interruption();
  for (const { title, question, run } of chosen) {
    if (stop.signal.aborted) break;
    const outcome = run({ quick, seed });
    found.push({ title, question, ...outcome });
    console.log(`\n${title}\n`);
    const rows = outcome.numbers.rows.map((row) => row.map((cell) => String(cell ?? "")));
    for (const line of aligned([[...outcome.numbers.columns], ...rows])) console.log(line);
    for (const { what, holds } of outcome.checks) console.log(`${holds ? "holds " : "DIFFERS"} ${what}`);
    await breath();
  }
  const folder = join(flags.out, "handovers", quick ? "sim-quick" : "sim");
  mkdirSync(folder, { recursive: true });
  const environment = environmentOf("virtual time", commandLine(), sourcesAsLoaded(null), commitAsLoaded());
  await writeHandoverReport(folder, provenanceOf(commandLine(), [{ ...environment }]), found);
  console.log(`  ${join(folder, "report.html")}`);
  if (stop.signal.aborted) return EXIT.interrupted;
  return found.every(({ checks }) => checks.every(({ holds }) => holds)) ? EXIT.passed : EXIT.failed;
}
