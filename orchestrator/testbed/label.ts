/**
 * The label on everything that a run makes: which run, and which process owns it. Whatever carries the
 * label of an owner that no longer lives is a leftover, and anybody may remove it.
 */

import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";

/** The environment variable that carries a label from process to process, and the label's key in Docker. */
export const LABEL_VARIABLE = "POLEBENCH_RUN";
export const DOCKER_LABEL = "polebench.run";

/**
 * `id.pid.start.world`: a pid alone would be reused, with the time its process started it is unique in its
 * world. Worlds (a boot of a kernel, a pid namespace) can share folders and yet not see each other's
 * processes.
 */
export type Label = string;

export const newLabel = (): Label =>
  `${randomBytes(4).toString("hex")}.${process.pid}.${startOf(process.pid) ?? 0}.${world()}`;

export const runOf = (label: Label): string => label.split(".")[0] ?? label;

/** Of an owner in another world nothing can be known, so it counts as living. */
export function ownerLives(label: Label): boolean {
  const [, pid = "", start = "", itsWorld] = label.split(".");
  return itsWorld !== world() || startOf(Number(pid)) === Number(start);
}

function world(): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  return createHash("sha256")
    .update(boot)
    .update(readlinkSync("/proc/self/ns/pid"))
    .digest("hex")
    .slice(0, 8);
}

/** When a process started, in clock ticks since boot; null when it does not live. */
function startOf(pid: number): number | null {
  const fields = statOf(pid);
  // A zombie has ended, though its parent has not looked yet.
  return fields === null || fields[0] === "Z" ? null : Number(fields[19]);
}

/** The fields of /proc/PID/stat after the name, which may itself hold blanks and parentheses. */
export function statOf(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
