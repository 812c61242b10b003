// A process that should be over and is not, ended from outside with all it started.
//
// node:test gives up a file's tests by their time, and then waits for the file's process: for ever, where a
// server that a failed test left behind keeps that alive.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { statOf } from "../orchestrator/testbed/label.ts";

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** With its pid it names a process, now and later. */
  readonly begun: string;
  readonly command: string;
}

/** Null when it has ended, though its parent may not have looked yet. */
export function processAt(pid: number): Process | null {
  const stat = statOf(pid);
  if (stat === null || stat[0] === "Z") return null;
  return { pid, parent: Number(stat[1]), begun: stat[19] ?? "", command: commandOf(pid) };
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

function below(parent: number): Process[] {
  const all = readdirSync("/proc").flatMap((name) =>
    /^\d+$/.test(name) ? (processAt(Number(name)) ?? []) : [],
  );
  const found = all.filter((each) => each.parent === parent);
  // It grows while it is gone through, by the children of each.
  for (const { pid } of found) found.push(...all.filter((each) => each.parent === pid));
  return found;
}

/**
 * Ends the child of `parent` whose command names `file`: first in a way that lets it stop what it started,
 * then by force, with all that is left of it. Tells what there was to end.
 */
export function endOverdue(parent: number, file: string, graceMs: number): Promise<string[]> {
  return endChildren(parent, graceMs, ({ command }) => command.includes(file));
}

/** The same for all children, or for those that are meant. */
export async function endChildren(
  parent: number,
  graceMs: number,
  isMeant: (child: Process) => boolean = () => true,
): Promise<string[]> {
  const children = below(parent).filter((each) => each.parent === parent && isMeant(each));
  const tree = children.flatMap((child) => [child, ...below(child.pid)]);
  for (const child of children) signal(child, "SIGTERM");
  for (const end = Date.now() + graceMs; Date.now() < end && tree.some(lives); ) await delay(50);
  for (const each of tree.filter(lives)) signal(each, "SIGKILL");
  return tree.map(({ pid, command }) => `${pid} ${command}`);
}

const lives = ({ pid, begun }: Process): boolean => processAt(pid)?.begun === begun;

function signal({ pid }: Process, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in between.
  }
}
