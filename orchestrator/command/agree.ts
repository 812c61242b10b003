/** `polebench agree`: the plans of live runs once more in virtual time, and both side by side. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { serverId } from "#node/core/identity.ts";
import { conclude } from "../measure/conclude.ts";
import { type Agreed, type Agreement, agreements, type TwoRuns } from "../report/agreement.ts";
import { provenanceOf } from "../recording/provenance.ts";
import { parseSummary, type ServiceSummary } from "../measure/summary.ts";
import { simulate } from "../runner/virtual/trial.ts";
import { MACHINE, measuredAs, type SimulatedMachine } from "../runner/virtual/machine.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { EXIT } from "#node/core/exit-code.ts";
import { type ServicePlan, withService } from "../plan/plan.ts";
import { parseServicePlan } from "../plan/plan-text.ts";
import { aligned } from "../terminal/table.ts";
import { commandLine } from "./command-line.ts";
import { SYSTEMS } from "../system/catalog.ts";

interface AgreeFlags {
  readonly json?: boolean;
}

export function addAgree(program: Command): void {
  program
    .command("agree")
    .argument("[folders...]", "of live runs, or that hold some", ["reports/run/latest"])
    .description("runs the plans of live runs in virtual time too, and prints both side by side")
    .option("--json", "print one JSON document")
    .action(async (folders: readonly string[], flags: AgreeFlags) => {
      process.exitCode = await agree(folders, flags);
    });
}

async function agree(folders: readonly string[], { json }: AgreeFlags): Promise<number> {
  const live = folders.flatMap(summariesUnder).filter(isComparable);
  if (live.length === 0) {
    throw new RefusedInput(`${folders.join(", ")}: no valid live run of polebench is there to compare with`);
  }
  const found = agreements(live.map(inBoth));
  if (json === true) {
    const environments = live.map(({ environment }) => environment);
    const made = provenanceOf(commandLine(), environments);
    console.log(JSON.stringify({ format: "polebench agreement 1", made, agreements: found }, null, 1));
  }
  if (json !== true) print(found);
  const all = found.flatMap(({ quantities }) => quantities.map(({ agreed }) => agreed));
  if (all.includes("differs")) return EXIT.failed;
  return all.every((agreed) => agreed === "same") ? EXIT.passed : EXIT.unknown;
}

function inBoth(live: ServiceSummary): TwoRuns {
  const plan = parseServicePlan(JSON.stringify(live.trial));
  if (typeof plan === "string") throw new RefusedInput(`a run's plan cannot be read: ${plan}`);
  const machine = live.machine === null ? MACHINE : measuredAs(live.machine);
  const own = simulated(plan, machine);
  const leader = live.leaders.after;
  const elected = own.leaders.after;
  if (leader === null || !isTie(own, leader)) return { live, simulated: own, elected };
  const settled = withService(plan, {
    oracle: { name: "preference", preference: [serverId(leader)], module: null },
  });
  return { live, simulated: simulated(settled, machine), elected };
}

/** Scores that are equal but for noise may elect another server, with which nothing else can be compared. */
const isTie = ({ leaders, expectedLeaders }: ServiceSummary, leader: number): boolean =>
  leaders.after !== leader && [leaders.after, leader].every((one) => expectedLeaders.includes(one ?? 0));

function simulated(plan: ServicePlan, machine: SimulatedMachine): ServiceSummary {
  return conclude(simulate({ ...plan, runtime: "sim" }, "", machine)).summary;
}

function print(found: readonly Agreement[]): void {
  for (const { of, runs, machine, inSample, quantities } of found) {
    const sample = inSample ? "the simulator was fitted to such runs" : "out of sample";
    console.log(`${of}${runs === 1 ? "" : `, ${runs} runs`} (${sample}); ${machine}:\n`);
    const rows = quantities.map(({ name, live, simulated, ratio, agreed }) => [
      name,
      live,
      simulated,
      ratio?.toFixed(3) ?? "",
      agreed,
    ]);
    const lines = aligned([["", "live", "simulated", "ratio", ""], ...rows]);
    console.log(`${lines.map((line) => `  ${line}`).join("\n")}\n`);
  }
  const all = found.flatMap(({ quantities }) => quantities);
  const count = (which: Agreed): number => all.filter(({ agreed }) => agreed === which).length;
  console.log(
    `${count("same")} of ${all.length} are shown to be the same (means within 5 %, outages within 20 %, ` +
      `what is above physics within 0.5 ms, the same leader), ${count("differs")} differ, of ` +
      `${count("not shown")} it is not shown, and ${count("not enough runs")} need five runs to show it.`,
  );
}

/** What there is to read in a run's folder, or below it. */
function summariesUnder(folder: string): readonly ServiceSummary[] {
  if (!existsSync(folder)) throw new RefusedInput(`${folder}: there is no such folder`);
  const file = join(folder, "summary.json");
  if (existsSync(file)) {
    const summary = parseSummary(readFileSync(file, "utf8"));
    return typeof summary === "string" ? [] : [summary];
  }
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => summariesUnder(join(folder, name)));
}

function isComparable({ verdict, trial }: ServiceSummary): boolean {
  const plan = parseServicePlan(JSON.stringify(trial));
  if (typeof plan === "string" || plan.runtime === "sim") return false;
  return verdict.judgement === "valid" && SYSTEMS[plan.subject.system].runtimes.includes("sim");
}
