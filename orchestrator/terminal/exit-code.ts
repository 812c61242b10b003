import { EXIT } from "#node/core/exit-code.ts";

/** This machine cannot do what was asked; the message says what to install, or what to ask for instead. */
export class CannotRun extends Error {
  override readonly name = "CannotRun";
  readonly exitCode = EXIT.cannotRun;
}
