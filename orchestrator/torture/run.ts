/** One run, as the process that `isolation.ts` starts: its plan is the argument, its report the last line. */

import { CannotRunHere } from "../testbed/environment.ts";
import { CANNOT_RUN } from "./isolation.ts";
import type { Torture } from "./plan.ts";
import { torture } from "./torture.ts";

try {
  const report = await torture(JSON.parse(process.argv[2] ?? "") as Torture);
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
} catch (error) {
  const cannot = error instanceof CannotRunHere;
  const text = cannot ? error.message : ((error as Error).stack ?? String(error));
  process.stderr.write(`${text}\n`, () => process.exit(cannot ? CANNOT_RUN : 1));
}
