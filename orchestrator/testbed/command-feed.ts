/** Runs a command of the system to its end, feeding its standard input. */

import { execa } from "execa";
import { CannotRunHere } from "./environment.ts";

/** What it printed; when it fails, what it complained of is the error. */
export async function feed(command: readonly string[], input: string, signal?: AbortSignal): Promise<string> {
  const [program = "", ...rest] = command;
  const { failed, stdout, stderr, originalMessage } = await execa(program, rest, {
    input,
    reject: false,
    stripFinalNewline: false,
    ...(signal !== undefined && { cancelSignal: signal }),
  });
  if (failed) throw new CannotRunHere(`${program}: ${stderr.trim() || (originalMessage ?? "it failed")}`);
  return stdout;
}
