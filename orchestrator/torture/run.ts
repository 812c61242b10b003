/** One run, as the process that `isolation.ts` starts: its plan is the argument, its report the last line. */

import { CannotRunHere } from "../testbed/environment.ts";
import { EXIT } from "#node/core/exit-code.ts";
import type { Torture } from "./plan.ts";
import { torture } from "./torture.ts";

try {
  const report = await torture(JSON.parse(process.argv[2] ?? "") as Torture);
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(EXIT.passed));
} catch (error) {
  const cannot = error instanceof CannotRunHere;
  const text = cannot ? error.message : ((error as Error).stack ?? String(error));
  process.stderr.write(`${text}\n`, () => process.exit(cannot ? EXIT.cannotRun : EXIT.failed));
}
