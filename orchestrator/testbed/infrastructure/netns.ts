/**
 * Machines as network namespaces of this host: as root, or without root inside a user namespace. The files,
 * the pids and the processors are the host's; only the network is a machine's own.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, openSync, closeSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert } from "#node/core/assert.ts";
import { microseconds } from "#node/core/time.ts";
import { Conversation } from "../conversation.ts";
import { demandNamespaces, isRoot } from "../environment.ts";
import { LABEL_VARIABLE, type Label, statOf } from "../label.ts";
import type { Exit, Infrastructure, Machine, ProcessPlan, Running, Usage } from "./infrastructure.ts";
import { allowCongestionControl, type TcpWish } from "./tcp-settings.ts";

const KEEPER = fileURLToPath(new URL("keeper.ts", import.meta.url));
const SOURCE = fileURLToPath(new URL("../../../", import.meta.url));
/** Whoever starts this dies with us; only what has just changed its credentials must ask for it again. */
export const DIE_WITH_PARENT = ["setpriv", "--pdeathsig", "KILL", "--"] as const;

export interface NetnsOptions {
  readonly label: Label;
  readonly machines: readonly Machine[];
  readonly congestionControl: string | null;
  readonly socketBuffers: number | null;
  /** Use a user namespace also as root. */
  readonly rootless?: boolean;
}

export async function createNetns(options: NetnsOptions): Promise<Infrastructure> {
  demandNamespaces();
  const { label, machines } = options;
  const rootless = options.rootless ?? !isRoot();
  const mapped = rootless ? ["unshare", "--user", "--map-root-user", "--"] : [];
  const [program, ...rest] = [...mapped, ...DIE_WITH_PARENT, process.execPath, KEEPER];
  const keeper = spawn(program, rest, { stdio: ["pipe", "pipe", "pipe"], env: labelled(label) });
  const conversation = new Conversation(keeper, "the keeper of the namespaces");
  const descriptors = new Map<string, number>();
  const { congestionControl, socketBuffers } = options;
  allowCongestionControl(congestionControl);
  const wish: TcpWish = { congestionControl, socketBuffers };
  try {
    await Promise.all(
      machines.map(async ({ name }) => descriptors.set(name, await conversation.ask<number>(wish))),
    );
  } catch (error) {
    await conversation.close();
    throw error;
  }
  return new Netns(label, machines, rootless, keeper, conversation, descriptors);
}

export const labelled = (label: Label): NodeJS.ProcessEnv => ({ ...process.env, [LABEL_VARIABLE]: label });

class Netns implements Infrastructure {
  readonly kind = "netns";
  readonly label: Label;
  readonly machines: ReadonlyMap<string, Machine>;
  readonly privileged: readonly string[];
  readonly node = process.execPath;
  readonly source = SOURCE;
  readonly remark: string;
  readonly #keeper: number;
  readonly #conversation: Conversation;
  readonly #descriptors: ReadonlyMap<string, number>;
  readonly #running = new Set<NetnsProcess>();

  constructor(
    label: Label,
    machines: readonly Machine[],
    rootless: boolean,
    keeper: ChildProcess,
    conversation: Conversation,
    descriptors: ReadonlyMap<string, number>,
  ) {
    assert(keeper.pid !== undefined, "the keeper runs");
    this.label = label;
    this.machines = new Map(machines.map((machine) => [machine.name, machine]));
    this.#keeper = keeper.pid;
    this.#conversation = conversation;
    this.#descriptors = descriptors;
    const user = ["nsenter", "--target", String(keeper.pid), "--user", "--preserve-credentials"];
    this.privileged = rootless ? [...user, "--"] : [];
    this.remark = `network namespaces, ${rootless ? "in a user namespace" : "as root"}`;
  }

  namespace({ name }: Machine): string {
    const descriptor = this.#descriptors.get(name);
    assert(descriptor !== undefined, `no machine is named ${name}`);
    return `/proc/${this.#keeper}/fd/${descriptor}`;
  }

  enter(machine: Machine): readonly string[] {
    const user = this.privileged.length === 0 ? ["nsenter"] : this.privileged.slice(0, -1);
    return [...user, `--net=${this.namespace(machine)}`, "--"];
  }

  start(machine: Machine, plan: ProcessPlan): Promise<Running> {
    mkdirSync(dirname(plan.log), { recursive: true });
    const log = openSync(plan.log, "a");
    const [program = "", ...rest] = [...this.enter(machine), ...DIE_WITH_PARENT, ...plan.command];
    const child = spawn(program, rest, {
      cwd: plan.directory,
      env: { ...labelled(this.label), ...plan.environment },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    const running = new NetnsProcess(machine, plan.log, child);
    this.#running.add(running);
    void running.exited.then(() => this.#running.delete(running));
    return new Promise((resolve, reject) => {
      child.once("spawn", () => resolve(running));
      child.once("error", reject);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.kill()));
    await this.#conversation.close();
  }
}

class NetnsProcess implements Running {
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
    return Promise.resolve(this.#child.pid === undefined ? null : usageOf(this.#child.pid));
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
