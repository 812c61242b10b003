/**
 * Removes what dead runs left. Normally that is nothing: every process of a run is told by the kernel to
 * die with its parent, and devices and namespaces go with the processes that hold them. What escaped all the
 * same (a process started in the very moment of the kill, a container) carries its run's label, and so its
 * owner can be asked for.
 */

import { readdirSync, readFileSync } from "node:fs";
import { LABEL_VARIABLE, type Label, ownerLives } from "./label.ts";

export interface Leftover {
  readonly label: Label;
  readonly what: string;
}

/** Every process of a run whose orchestrator is gone. */
export function leftovers(): readonly (Leftover & { readonly pid: number })[] {
  return labelledProcesses().filter(({ label }) => !ownerLives(label));
}

/** Every process that carries a label, of live runs too. */
export function labelledProcesses(): readonly (Leftover & { readonly pid: number })[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => {
      const label = labelOf(name);
      return label === null ? [] : [{ pid: Number(name), label, what: `process ${name} ${commandOf(name)}` }];
    });
}

/** Kills them; tells what it removed. */
export function reap(): readonly Leftover[] {
  const found = leftovers();
  for (const { pid } of found) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It went by itself meanwhile, or belongs to another user, whose own reaper will find it.
    }
  }
  return found;
}

function labelOf(pid: string): Label | null {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    const mine = variables.find((variable) => variable.startsWith(`${LABEL_VARIABLE}=`));
    return mine?.slice(LABEL_VARIABLE.length + 1) ?? null;
  } catch {
    return null;
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim().slice(0, 100);
  } catch {
    return "";
  }
}
