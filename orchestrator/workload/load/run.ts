/**
 * Runs the load program and tells when the counted time begins and ends, so that the servers' use can be read
 * just then.
 */

import { fileURLToPath } from "node:url";
import { execa } from "execa";
import type { LoadLine, LoadPlan, LoadResult } from "./plan.ts";

const PROGRAM = fileURLToPath(new URL("./main.ts", import.meta.url));

export interface LoadWatcher {
  begin?(): void;
  end?(): void;
}

export async function runLoad(plan: LoadPlan, watcher: LoadWatcher = {}): Promise<LoadResult> {
  const limitMs = (plan.warmUpSeconds + plan.seconds + 60) * 1e3;
  const program = execa(process.execPath, [PROGRAM, JSON.stringify(plan)], {
    stdin: "ignore",
    timeout: limitMs,
    buffer: { stdout: false },
  });
  let result: LoadResult | null = null;
  for await (const text of program) {
    const line = JSON.parse(text) as LoadLine;
    if (line.kind === "begin") watcher.begin?.();
    else if (line.kind === "end") watcher.end?.();
    else result = line.result;
  }
  await program;
  if (result === null) throw new Error("the load program said nothing");
  return result;
}
