/** `polebench recipe`: real members elect at real servers, and what a handover takes is measured. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { RECIPES } from "../recipe/member-line.ts";
import { runRecipe, TROUBLES } from "../recipe/trial.ts";
import { pageOf } from "../recipe/page.ts";
import { SPEAKING_ZOOKEEPER, SYSTEMS } from "../system/catalog.ts";
import { interruption } from "../terminal/interrupted.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { countOf } from "./trial-flags.ts";

interface Flags {
  readonly recipe: string;
  readonly system: string;
  readonly fault: string;
  readonly members?: string;
  readonly repeat?: string;
  readonly timeout?: string;
  readonly takeover?: string;
  readonly out: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addRecipe(program: Command): void {
  program
    .command("recipe")
    .description("elects a leader among clients of a service on this machine, and measures handovers")
    .option("--recipe <name>", RECIPES.join(" or "), "priority")
    .option("--system <name>", SPEAKING_ZOOKEEPER.join(" or "), "polebench")
    .option("--members <count>", "processes that stand", "5")
    .option("--fault <name>", `${TROUBLES.join(" or ")}: what befalls each leader`, "kill")
    .option("--repeat <count>", "handovers", "5")
    .option("--timeout <ms>", "of the members' sessions", "4000")
    .option("--takeover <ms>", "what taking over takes, by priority", "0")
    .option("--out <folder>", "where reports go", "reports")
    .option("--json", "print the summary as JSON")
    .option("--quiet", "no progress")
    .action(async (flags: Flags) => {
      process.exitCode = await recipe(flags);
    });
}

async function recipe(flags: Flags): Promise<number> {
  const system = SYSTEMS[chosen("system", flags.system, SPEAKING_ZOOKEEPER)];
  const missing = system.missing();
  if (missing !== null) {
    console.error(`polebench recipe: ${missing}`);
    return EXIT.cannotRun;
  }
  const trial = {
    recipe: chosen("recipe", flags.recipe, RECIPES),
    trouble: chosen("fault", flags.fault, TROUBLES),
    members: countOf("members", flags.members, 5),
    times: countOf("repeat", flags.repeat, 5),
    timeout: countOf("timeout", flags.timeout, 4000),
    takeover: flags.takeover === "0" ? 0 : countOf("takeover", flags.takeover, 0),
  };
  if (trial.members < 2) throw new RefusedInput("--members: a handover takes two at least");
  using stop = interruption();
  const tell = (progress: string): void => {
    if (flags.quiet !== true) console.error(progress);
  };
  const { summary, heard, seen } = await runRecipe(trial, system, stop.signal, tell);
  const folder = join(
    flags.out,
    "recipe",
    `${trial.recipe}-${system.name}-${trial.trouble}-${trial.members}`,
  );
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "summary.json"), `${JSON.stringify(summary, null, 1)}\n`);
  for (const [name, lines] of [
    ["heard", heard],
    ["seen", seen],
  ] as const) {
    writeFileSync(join(folder, `${name}.ndjson`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  console.log(flags.json === true ? JSON.stringify(summary, null, 1) : `${pageOf(summary)}\n  ${folder}`);
  return summary.wrong.length > 0 ? EXIT.failed : EXIT.passed;
}

function chosen<Name extends string>(flag: string, given: string, names: readonly Name[]): Name {
  const name = names.find((each) => each === given);
  if (name !== undefined) return name;
  throw new RefusedInput(`--${flag}: there is no "${given}"${suggestion(given, names)}`);
}
