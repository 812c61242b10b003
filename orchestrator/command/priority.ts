/** `polebench priority`: an operator's words about an election of members, at any service of the protocol. */

import type { Command } from "commander";
import { PRIORITY_USAGE, runPriority } from "#node/recipe/priority-command.ts";

export function addPriority(program: Command): void {
  program
    .command("priority")
    .argument("[words...]")
    .description("who leads by priority election, and who shall: at ZooKeeper or ours")
    .allowUnknownOption()
    .helpOption(false)
    .addHelpText("after", PRIORITY_USAGE)
    .action(async () => {
      const args = process.argv.slice(process.argv.indexOf("priority") + 1);
      process.exitCode = await runPriority(args, { out: console.log, err: console.error });
    });
}
