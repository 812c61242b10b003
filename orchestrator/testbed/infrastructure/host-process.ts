/** A process on this host that has the network of a machine, and dies with us. */

import type { ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { microseconds } from "#node/core/time.ts";
import { child, DIE_WITH_PARENT, labelled } from "../child.ts";
import { type Label, statOf } from "../label.ts";
import type { Exit, Machine, ProcessPlan, Running, Usage } from "./infrastructure.ts";

/** `enter` is the command prefix that leads into the machine's network. */
export function startProcess(
  enter: readonly string[],
  label: Label,
  machine: Machine,
  plan: ProcessPlan,
): Promise<HostProcess> {
  mkdirSync(dirname(plan.log), { recursive: true });
  const log = openSync(plan.log, "a");
  const started = child([...enter, ...DIE_WITH_PARENT, ...plan.command], {
    cwd: plan.directory,
    env: { ...labelled(label), ...plan.environment },
    stdout: log,
    stderr: log,
  });
  closeSync(log);
  const running = new HostProcess(machine, plan.log, started);
  return new Promise((resolve, reject) => {
    started.once("spawn", () => resolve(running));
    started.once("error", reject);
  });
}

export class HostProcess implements Running {
  readonly machine: Machine;
  readonly log: string;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;

  constructor(machine: Machine, log: string, child: ChildProcess) {
    this.machine = machine;
    this.log = log;
    this.#child = child;
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
      child.once("error", () => resolve({ code: 127, signal: null }));
    });
  }

  get pid(): number | null {
    return this.#child.pid ?? null;
  }

  kill(signal: "SIGKILL" | "SIGTERM" | "SIGINT" = "SIGKILL"): Promise<Exit> {
    // One that is paused would never notice a gentler signal.
    if (signal !== "SIGKILL") this.#child.kill("SIGCONT");
    this.#child.kill(signal);
    return this.exited;
  }

  pause(): Promise<void> {
    this.#child.kill("SIGSTOP");
    return Promise.resolve();
  }

  resume(): Promise<void> {
    this.#child.kill("SIGCONT");
    return Promise.resolve();
  }

  usage(): Promise<Usage | null> {
    return Promise.resolve(this.pid === null ? null : usageOf(this.pid));
  }
}

/** Those of one infrastructure, which end with it. */
export class HostProcesses implements AsyncDisposable {
  readonly #running = new Set<HostProcess>();

  async start(
    enter: readonly string[],
    label: Label,
    machine: Machine,
    plan: ProcessPlan,
  ): Promise<HostProcess> {
    const running = await startProcess(enter, label, machine, plan);
    this.#running.add(running);
    void running.exited.then(() => this.#running.delete(running));
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.kill()));
  }
}

/**
 * What the kernel says of its memory: the most that was resident, pages shared with others counted in full,
 * and what is resident now, each page divided by how many share it. Walking through the pages takes the
 * process's own time too.
 */
export function memoryOf(pid: number): { readonly peak: number; readonly proportional: number } | null {
  try {
    const [status, rollup] = ["status", "smaps_rollup"].map((file) =>
      readFileSync(join("/proc", String(pid), file), "utf8"),
    );
    const kilobytes = (text: string | undefined, name: string): number =>
      Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, "m").exec(text ?? "")?.[1] ?? Number.NaN);
    return { peak: 1024 * kilobytes(status, "VmHWM"), proportional: 1024 * kilobytes(rollup, "Pss") };
  } catch {
    return null;
  }
}

/** Linux counts processor time in hundredths of a second for user space, whatever its own clock runs at. */
const TICK = 10_000;

export function usageOf(pid: number): Usage | null {
  const stat = statOf(pid);
  if (stat === null) return null;
  const pages = Number(readFileSync(join("/proc", String(pid), "statm"), "utf8").split(" ")[1]);
  return {
    processor: microseconds((Number(stat[11]) + Number(stat[12])) * TICK),
    residentBytes: pages * 4096,
  };
}
