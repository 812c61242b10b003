/**
 * Machines as network namespaces of this host: as root, or without root inside a user namespace. The files,
 * the pids and the processors are the host's; only the network is a machine's own.
 */

import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { assert } from "#node/core/assert.ts";
import { Conversation } from "../conversation.ts";
import { demandNamespaces, isRoot } from "../environment.ts";
import type { Label } from "../label.ts";
import { child, DIE_WITH_PARENT, labelled } from "../child.ts";
import { HostProcesses } from "./host-process.ts";
import type { Infrastructure, Machine, ProcessPlan, Running } from "./infrastructure.ts";
import { allowCongestionControl, type TcpWish } from "./tcp-settings.ts";

const KEEPER = fileURLToPath(new URL("keeper.ts", import.meta.url));
const SOURCE = fileURLToPath(new URL("../../../", import.meta.url));

export interface NetnsOptions {
  readonly label: Label;
  readonly machines: readonly Machine[];
  readonly congestionControl: string | null;
  readonly socketBuffers: number | null;
  /** Use a user namespace also as root. */
  readonly rootless?: boolean;
}

export async function createNetns(options: NetnsOptions): Promise<Infrastructure> {
  const { label, machines } = options;
  const rootless = options.rootless ?? !isRoot();
  demandNamespaces(rootless);
  const mapped = rootless ? ["unshare", "--user", "--map-root-user", "--"] : [];
  const keeper = child([...mapped, ...DIE_WITH_PARENT, process.execPath, KEEPER], {
    stdin: "pipe",
    env: labelled(label),
  });
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
  readonly #processes = new HostProcesses();

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
    return this.#processes.start(this.enter(machine), this.label, machine, plan);
  }

  /** Its machines are of this host, so there is no outside. */
  startOutside(machine: Machine, plan: ProcessPlan): Promise<Running> {
    return this.start(machine, plan);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processes[Symbol.asyncDispose]();
    await this.#conversation.close();
  }
}
