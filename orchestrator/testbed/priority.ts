/**
 * Whatever else this machine does must not be measured. Where it is allowed, servers and clients are
 * scheduled in real time, round robin, below the packet plane; the kernel leaves 5 % to all others.
 *
 * Niceness does not help: it counts within a session only (sched(7), autogroup).
 */

import { writeFileSync } from "node:fs";
import type { Running } from "./infrastructure/infrastructure.ts";
import { succeeds } from "./child.ts";

export interface Priority {
  /** What comes before a command. */
  readonly prefix: readonly string[];
  /** What is done to a process that has just been started. */
  hasten(running: Running): void;
  /** For people. */
  readonly remark: string;
}

const ROOT_GROUP = "/sys/fs/cgroup/cpu/cgroup.procs";
const ROUND_ROBIN = ["chrt", "--rr", "1"];

export function priority(): Priority {
  return succeeds(...ROUND_ROBIN, "true")
    ? { prefix: ROUND_ROBIN, hasten: () => {}, remark: "servers and clients in real time" }
    : { prefix: [], hasten: () => {}, remark: "servers and clients scheduled like anything else" };
}

/**
 * The same for what runs in a container, where there is neither the program nor the right to: from outside.
 */
export function ofContainers({ prefix, remark }: Priority): Priority {
  const hasten = ({ pid }: Running): void => {
    if (prefix.length === 0 || pid === null) return;
    try {
      // Where groups of processes have shares of real time (RT_GROUP_SCHED), Docker's have none.
      writeFileSync(ROOT_GROUP, String(pid));
    } catch {
      // There is no such controller here, and nobody asks for shares.
    }
    hastened({ prefix }, pid);
  };
  return { prefix: [], hasten, remark };
}

/** For a process that runs already, as one whose beginning shall not keep others waiting. */
export function hastened({ prefix }: Pick<Priority, "prefix">, pid: number | null): void {
  if (prefix.length > 0 && pid !== null) succeeds("chrt", "--all-tasks", "--rr", "--pid", "1", String(pid));
}

/** For this process alone, so that a fault comes when it is due. */
export function hurried({ prefix }: Pick<Priority, "prefix">): Disposable {
  const chrt = (...policy: readonly string[]): void => {
    if (prefix.length > 0) succeeds("chrt", ...policy, String(process.pid));
  };
  chrt("--reset-on-fork", "--rr", "--pid", "1");
  return { [Symbol.dispose]: () => chrt("--other", "--pid", "0") };
}

export function commandOf(
  { prefix }: Pick<Priority, "prefix">,
  command: readonly string[],
): [string, ...string[]] {
  const [program = "", ...rest] = [...prefix, ...command];
  return [program, ...rest];
}
