/** What a process has used, from Linux's own books. */

import { readFileSync } from "node:fs";

export interface ProcessUse {
  /** User and system time of all its threads, and of nobody else. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/**
 * Clock ticks a second as /proc shows them: a constant of the kernel's interface (USER_HZ), whatever it runs
 * at.
 */
const TICKS_PER_SECOND = 100;

export function processUse(pid: number): ProcessUse {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return { cpuSeconds: cpuSeconds(stat), residentBytes: residentBytes(status) };
}

/** Processor time that everybody together has used since the machine started. */
export function machineBusySeconds(stat = readFileSync("/proc/stat", "utf8")): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = stat
    .slice(0, stat.indexOf("\n"))
    .split(/ +/)
    .map(Number);
  return (user + nice + system + irq + softIrq + steal) / TICKS_PER_SECOND;
}

/** Fields 14 and 15 (proc(5)), counted from behind the name, which may hold spaces and parentheses. */
export function cpuSeconds(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function residentBytes(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
