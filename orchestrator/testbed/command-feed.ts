/** Runs a command of the system to its end, feeding its standard input. */

import { execFile } from "node:child_process";
import { CannotRunHere } from "./environment.ts";

/** What it printed; when it fails, what it complained of is the error. */
export function feed(command: readonly string[], input: string, signal?: AbortSignal): Promise<string> {
  const [program = "", ...rest] = command;
  const options = { maxBuffer: 64 << 20, ...(signal !== undefined && { signal }) };
  return new Promise((resolve, reject) => {
    const child = execFile(program, rest, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new CannotRunHere(`${program}: ${stderr.trim() || error.message}`, { cause: error }));
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
