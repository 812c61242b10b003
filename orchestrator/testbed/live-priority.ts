/**
 * Whatever else this machine does must not be measured. Where it is allowed, servers and clients are
 * scheduled in real time, round robin, below the packet plane; the kernel leaves 5 % to all others.
 *
 * With 15 other programs on 2 processors, a write took 13 ms more than the way alone without it, and 2 ms
 * with it. Niceness does not help: it counts within a session only (sched(7), autogroup).
 */

import { spawnSync } from "node:child_process";

export interface Priority {
  /** What comes before a command. */
  readonly prefix: readonly string[];
  /** For people. */
  readonly remark: string;
}

const ROUND_ROBIN = ["chrt", "--rr", "1"];

export function priority(): Priority {
  const [program = "", ...rest] = ROUND_ROBIN;
  return spawnSync(program, [...rest, "true"], { stdio: "ignore" }).status === 0
    ? { prefix: ROUND_ROBIN, remark: "servers and clients in real time" }
    : { prefix: [], remark: "servers and clients scheduled like anything else" };
}

/** For this process alone, so that a fault comes when it is due. */
export function hurried({ prefix }: Pick<Priority, "prefix">): Disposable {
  const chrt = (...policy: readonly string[]): void => {
    if (prefix.length > 0) spawnSync("chrt", [...policy, String(process.pid)], { stdio: "ignore" });
  };
  chrt("--reset-on-fork", "--rr", "--pid", "1");
  return { [Symbol.dispose]: () => chrt("--other", "--pid", "0") };
}

export function commandOf(prefix: readonly string[], ...command: readonly string[]): [string, ...string[]] {
  const [program = "", ...rest] = [...prefix, ...command];
  return [program, ...rest];
}
