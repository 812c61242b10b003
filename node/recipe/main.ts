#!/usr/bin/env node
/** The command line of the package: what an operator needs beside the library. */

import { EXIT } from "../core/exit-code.ts";
import { PRIORITY_USAGE, runPriority } from "./priority-command.ts";

const [command, ...args] = process.argv.slice(2);
if (command === "priority") {
  process.exitCode = await runPriority(args, { out: console.log, err: console.error });
} else {
  console.error(PRIORITY_USAGE);
  process.exitCode = command === "--help" || command === "help" ? EXIT.passed : EXIT.usage;
}
