/**
 * Removes what dead runs left. Normally that is nothing: every process of a run is told by the kernel to
 * die with its parent, and devices and namespaces go with the processes that hold them. What escaped all the
 * same (a process started in the very moment of the kill, a container) carries its run's label, or is in a
 * control group that does, and so its owner can be asked for.
 */

import { globSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { LABEL_VARIABLE, type Label, ownerLives } from "./label.ts";
import { unmountBelow } from "./own-disk.ts";

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

/** Removes all that a dead run left, and tells what it removed. */
export function reap(): readonly string[] {
  const processes = leftovers();
  for (const { pid } of processes) kill(pid);
  const groups = dead(globSync([`/sys/fs/cgroup/${PREFIX}*`, `/sys/fs/cgroup/*/${PREFIX}*`]));
  for (const group of new Set(groups.map((path) => basename(path)))) removeGroup(group);
  const folders = dead(globSync(join(tmpdir(), `${PREFIX}*`)));
  for (const folder of folders) {
    unmountBelow(folder);
    rmSync(folder, { recursive: true, force: true });
  }
  return [...processes.map(({ what }) => what), ...folders];
}

const PREFIX = "polebench-run-";

/** A temporary folder that the reaper knows. */
export function labelledFolder(purpose: string, label: Label): string {
  const folder = join(tmpdir(), `${PREFIX}${purpose}-${label}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** The name of a control group that the reaper knows. */
export const labelledGroup = (label: Label): string => `${PREFIX}group-${label}`;

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It went by itself meanwhile, or belongs to another user, whose own reaper will find it.
  }
}

/**
 * Removes a control group with those inside it, in whichever hierarchies it is, and the processes in them: a
 * container that was created and never started waits for ever, and has no label yet.
 */
export function removeGroup(group: string): void {
  for (const folder of globSync([`/sys/fs/cgroup/${group}`, `/sys/fs/cgroup/*/${group}`])) {
    const inside = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const path of [folder, ...inside].toSorted((a, b) => b.length - a.length)) {
      for (const pid of membersOf(path)) kill(pid);
      try {
        rmdirSync(path);
      } catch {
        // Its last process is still on its way out: the next reaper comes by again.
      }
    }
  }
}

function membersOf(group: string): readonly number[] {
  try {
    const pids = readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").map(Number);
    // 0 stands for one that is out of sight from here, and would mean ourselves.
    return pids.filter((pid) => pid > 0);
  } catch {
    return [];
  }
}

const dead = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => !ownerLives(path.slice(path.lastIndexOf("-") + 1)));

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
