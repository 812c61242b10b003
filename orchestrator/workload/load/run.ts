/**
 * Runs the load program and tells when the counted time begins and ends, so that the servers' use can be read
 * just then.
 */

import { execa } from "execa";
import type { LoadLine, LoadPlan, LoadResult } from "./plan.ts";

export interface LoadWatcher {
  /** The program runs, and its clients look for their servers. */
  up?(): void;
  /** All are served, since this instant of the monotonic clock. */
  ready?(at: number): void;
  begin?(): void;
  end?(): void;
}

/** `program`: one that takes a `LoadPlan` as its last argument. */
export async function runLoad(
  [program, ...args]: readonly [string, ...string[]],
  plan: LoadPlan,
  watcher: LoadWatcher = {},
): Promise<LoadResult> {
  const limitMs = (plan.warmUpSeconds + plan.seconds + 60) * 1e3;
  const running = execa(program, [...args, JSON.stringify(plan)], {
    stdin: "ignore",
    timeout: limitMs,
    buffer: { stdout: false },
  });
  let result: LoadResult | null = null;
  for await (const text of running) {
    const line = JSON.parse(text) as LoadLine;
    if (line.kind === "up") watcher.up?.();
    else if (line.kind === "ready") watcher.ready?.(line.at);
    else if (line.kind === "begin") watcher.begin?.();
    else if (line.kind === "end") watcher.end?.();
    else result = line.result;
  }
  await running;
  if (result === null) throw new Error("the load program said nothing");
  return result;
}
