/** What a program that calls us learns from how we end. */

export const EXIT = { passed: 0, failed: 1, unknown: 2, cannotRun: 3, usage: 64, interrupted: 130 } as const;

/** This machine cannot do what was asked; the message says what to install, or what to ask for instead. */
export class CannotRun extends Error {
  override readonly name = "CannotRun";
  readonly exitCode = EXIT.cannotRun;
}
