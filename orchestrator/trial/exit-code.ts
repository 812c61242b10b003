/** What a program that calls us learns from how we end. */

import type { Summary } from "../report/summary.ts";

export const EXIT = { passed: 0, failed: 1, unknown: 2, cannotRun: 3, usage: 64, interrupted: 130 } as const;

/** This machine cannot do what was asked; the message says what to install, or what to ask for instead. */
export class CannotRun extends Error {
  override readonly name = "CannotRun";
  readonly exitCode = EXIT.cannotRun;
}

/** The worst of all runs: a failed check weighs more than one that could not be made. */
export function exitCodeOf(summaries: readonly Summary[]): number {
  const failed = summaries.some(
    ({ verdict, thresholds }) => verdict.judgement === "invalid" || thresholds.some(({ passed }) => !passed),
  );
  if (failed) return EXIT.failed;
  return summaries.every(({ verdict }) => verdict.judgement === "valid") ? EXIT.passed : EXIT.unknown;
}
