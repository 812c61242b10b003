/** `polebench list` and `polebench plan`: what there is to choose from, and what was chosen. */

import type { Command } from "commander";
import { elections } from "#node/election/catalog.ts";
import { oracles } from "#node/oracle/catalog.ts";
import { loadTopology, shippedTopologies } from "../topology/topology.ts";
import { planTrial } from "../plan/flags.ts";
import { printPlan } from "../plan/plan-text.ts";
import { aligned } from "../terminal/table.ts";
import { chooseRuntime, demandOf, type RunFlags, withTrialFlags } from "./trial-flags.ts";

export function addList(program: Command): void {
  program
    .command("list")
    .description("topologies, oracles and elections")
    .action(() => {
      const groups = {
        topologies: shippedTopologies().map((name) => [name, loadTopology(name).description]),
        oracles: Object.entries(oracles).map(([name, { summary }]) => [name, summary]),
        elections: Object.entries(elections).map(([name, { summary }]) => [name, summary]),
      };
      for (const [title, rows] of Object.entries(groups)) {
        console.log(`${title}:`);
        for (const line of aligned(rows)) console.log(`  ${line}`);
      }
    });
  withTrialFlags(program.command("plan"))
    .description("prints what the given flags mean, and runs nothing")
    .option("--oracle <name>", "who is a good leader: a name, or ./mine.ts")
    .action(async (flags: RunFlags) => {
      process.stdout.write(printPlan(planTrial(flags, await chooseRuntime(flags, demandOf(flags)))));
    });
}
