/** `polebench recipe`: real members elect at real servers, and what a handover takes is measured. */

import { join } from "node:path";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { enter } from "../book/store.ts";
import { ensembleLeaders } from "../recipe/beside.ts";
import { type CrowdOutcome, CROWDS, crowdText, runCrowd } from "../recipe/crowd.ts";
import { planRecipes, type RecipeFlags } from "../recipe/flags.ts";
import { RECIPES, TROUBLE_NAMES } from "../recipe/plan.ts";
import { writeRecipeReport } from "../recipe/report.ts";
import { textOf } from "../recipe/text.ts";
import { recordOfRecipes } from "../recipe/record.ts";
import { runRecipes } from "../recipe/trial.ts";
import { pointLatest } from "../recording/run-folder.ts";
import { SPEAKING_ZOOKEEPER, SYSTEMS } from "../system/catalog.ts";
import type { System } from "../system/system.ts";
import { interruption } from "../terminal/interrupted.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { commandLine } from "./command-line.ts";
import { countOf } from "./trial-flags.ts";

interface Flags extends RecipeFlags {
  readonly out: string;
  readonly crowd?: string;
  readonly beside?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addRecipe(program: Command): void {
  program
    .command("recipe")
    .description(
      "elects leaders among clients of a service at the sites of a topology, and measures handovers",
    )
    .option("--topology <name>", "a name from topologies/, or a file", "3dc")
    .option("--recipe <list>", `all, or some of ${RECIPES.join(", ")}`, "priority")
    .option("--system <name>", SPEAKING_ZOOKEEPER.join(" or "), "polebench")
    .option("--members <count>", "processes that stand, spread over the sites", "5")
    .option(
      "--strategy <name>",
      "first-id, round-robin, site-order:A,B, other-site, best-score:2, ./mine.ts",
      "first-id",
    )
    .option("--watching <what>", "lean or all: of what members are told, by priority", "lean")
    .option("--fault <list>", `all, or some of ${TROUBLE_NAMES.join(", ")}`, "kill")
    .option("--repeat <count>", "of each fault, or of a crowd", "3")
    .option("--minutes <count>", "instead: faults drawn from these, for so long")
    .option("--timeout <ms>", "of the members' sessions", "4000")
    .option("--takeover <ms>", "what taking over takes, by priority", "0")
    .option("--within <ms>", "what taking over, or giving up, may take", "2000")
    .option("--first-leader <server>", "who leads the ensemble")
    .option("--seed <number>", "of the network")
    .option("--beside", "what an ensemble's own leader offers there, beside it")
    .option("--crowd <count>", "instead: so many members in one election, and how others' writes fare")
    .option("--out <folder>", "where reports go", "reports")
    .option("--json", "print the summary as JSON")
    .option("--quiet", "no progress")
    .action(async (flags: Flags) => {
      process.exitCode = await recipe(flags);
    });
}

async function crowd(
  flags: Flags,
  times: number,
  system: System,
  tell: (progress: string) => void,
): Promise<number> {
  const recipe = CROWDS.find((each) => each === flags.recipe);
  if (recipe === undefined) throw new RefusedInput(`--recipe: a crowd takes ${CROWDS.join(" or ")}`);
  const members = countOf("crowd", flags.crowd, 1000);
  const plan = { recipe, members, timeout: Number(flags.timeout) };
  const outcomes: CrowdOutcome[] = [];
  for (let time = 0; time < times; time++) outcomes.push(await runCrowd(plan, system, tell));
  console.log(flags.json === true ? JSON.stringify(outcomes, null, 1) : crowdText(plan, outcomes));
  return EXIT.passed;
}

async function recipe(flags: Flags): Promise<number> {
  const plan = await planRecipes(flags);
  const { system } = plan.service.subject;
  const missing = SYSTEMS[system].missing();
  if (missing !== null) {
    console.error(`polebench recipe: ${missing}`);
    return EXIT.cannotRun;
  }
  const tell = (progress: string): void => {
    if (flags.quiet !== true) console.error(progress);
  };
  if (flags.crowd !== undefined) return crowd(flags, plan.times, SYSTEMS[system], tell);
  using stop = interruption();
  const outcome = await runRecipes(plan, stop.signal, tell);
  const { topology } = plan.service;
  const name = [
    topology.name,
    system,
    plan.contests.map((contest) => contest.name).join(","),
    String(plan.members.length),
  ].join("-");
  const folder = join(flags.out, "recipe", name);
  const command = commandLine();
  const leaders = flags.beside === true ? await ensembleLeaders(plan, stop.signal, command) : [];
  const summary = await writeRecipeReport(folder, outcome, command, leaders);
  pointLatest(folder);
  enter(flags.out, folder, recordOfRecipes(summary, command));
  console.log(
    flags.json === true
      ? JSON.stringify(summary, null, 1)
      : `${textOf(summary)}\n  ${join(folder, "report.html")}`,
  );
  return summary.wrong.length > 0 ? EXIT.failed : EXIT.passed;
}
