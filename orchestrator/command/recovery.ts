/**
 * `polebench recover` and `polebench salvage`: for an operator whose servers have lost their disks. The first
 * gives up nothing and needs a living quorum; the second needs none, and says what it gives up.
 */

import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { printZxid } from "#node/core/zxid.ts";
import { recoverServer } from "../system/polebench/recover.ts";
import { planSalvage, printSalvage, salvage } from "../system/polebench/salvage.ts";
import { interruption } from "../terminal/interrupted.ts";

interface SalvageFlags {
  readonly from: readonly string[];
  readonly into: readonly string[];
  readonly confirm?: string;
}

export function addRecovery(program: Command): void {
  program
    .command("recover")
    .description("brings a server whose disk was lost back through the living others, then ends it")
    .argument(
      "[words...]",
      "as for the server itself: zoo.cfg, or flags such as --data-dir and --not-running",
    )
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      using interrupted = interruption();
      process.exitCode = await recoverServer(words, {
        environment: process.env,
        readFile: (path) => readFileSync(path, "utf8"),
        say: (line) => console.log(line),
        complain: (line) => console.error(line),
        signal: interrupted.signal,
      });
    });
  program
    .command("salvage")
    .description("the last resort for a lost quorum: goes on with what is left, and says what it gives up")
    .requiredOption("--from <folders...>", "data folders of all servers that still have theirs; none may run")
    .option("--into <folders...>", "new data folders, for a quorum of servers", [])
    .option("--confirm <zxid>", "the last one in the log, as told without this: do it")
    .action(async (flags: SalvageFlags) => {
      process.exitCode = await lastResort(flags);
    });
}

async function lastResort({ from, into, confirm }: SalvageFlags): Promise<number> {
  const plan = await planSalvage(from);
  console.log(printSalvage(plan));
  const last = printZxid(plan.lastZxid);
  if (into.length === 0 || confirm !== last) {
    console.error(
      "nothing was changed. To do it: --into a new data folder for each of a quorum of servers, " +
        `--confirm ${last}`,
    );
    return EXIT.unknown;
  }
  await salvage(plan, into);
  console.log(
    `written: ${into.join(", ")}. Start a quorum of the ensemble with these, one each, and the others with ` +
      "empty data folders",
  );
  return EXIT.passed;
}
