/** How a command ends that looked at runs. */

import type { ServiceSummary } from "./summary.ts";
import { EXIT } from "#node/core/exit-code.ts";

/** The worst of all runs: a failed check weighs more than one that could not be made. */
export function exitCodeOf(summaries: readonly Pick<ServiceSummary, "verdict" | "thresholds">[]): number {
  const failed = summaries.some(
    ({ verdict, thresholds }) => verdict.judgement === "invalid" || thresholds.some(({ passed }) => !passed),
  );
  if (failed) return EXIT.failed;
  return summaries.every(({ verdict }) => verdict.judgement === "valid") ? EXIT.passed : EXIT.unknown;
}
