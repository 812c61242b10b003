/**
 * A sweep on the nodes of a Docker swarm: a replicated job of the swarm's own scheduler, a task a node, each
 * of which takes cells from this machine's desk. The swarm brings the secret and the terms to them, and is
 * otherwise asked for nothing: what a task does is known from what it brings.
 */

import type Docker from "dockerode";
import { setTimeout as sleep } from "node:timers/promises";
import { CannotRunHere } from "../../testbed/environment.ts";
import { SOURCE_IN_IMAGE, NODE_IN_IMAGE } from "../../testbed/infrastructure/image.ts";
import { DOCKER_LABEL, type Label, runOf } from "../../testbed/label.ts";
import type { Cell } from "../cell.ts";
import type { Sweep } from "../sweep.ts";
import { Desk } from "./desk.ts";
import { CONFIG_FILE, SECRET_FILE, type TaskTerms } from "./message.ts";
import type { SwarmNode } from "./nodes.ts";
import { removeLabelled } from "./remains.ts";

export interface SwarmTerms {
  readonly docker: Docker;
  readonly image: string;
  readonly label: Label;
  /** Where nodes reach this machine. */
  readonly address: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Of a task; null: as many as its node has processors. */
  readonly workers: number | null;
  /** Those that take tasks. */
  readonly nodes: readonly SwarmNode[];
  readonly onManagers: boolean;
  readonly sources: string;
  readonly idOf: (cell: Cell) => string;
  readonly say: (text: string) => void;
  /** Without a word from any node, in milliseconds. */
  readonly patience?: number;
}

export class Swarm implements AsyncDisposable {
  readonly #terms: SwarmTerms;
  readonly #desk: Desk;
  /** Why tasks came to nothing, by the name of the node. */
  readonly #troubles = new Map<string, string>();
  #isManagerThere = true;

  static async open(terms: SwarmTerms): Promise<Swarm> {
    const { address, port, idOf, say } = terms;
    const desk = await Desk.open({ address, port, idOf, say });
    const swarm = new Swarm(terms, desk);
    try {
      await swarm.#begin();
    } catch (error) {
      await swarm[Symbol.asyncDispose]();
      throw new CannotRunHere(`the swarm does not take the sweep: ${(error as Error).message}`);
    }
    return swarm;
  }

  private constructor(terms: SwarmTerms, desk: Desk) {
    this.#terms = terms;
    this.#desk = desk;
  }

  /** Cells that were run twice, and came to the same. */
  get same(): number {
    return this.#desk.same;
  }

  /** In a line, for people. */
  get remark(): string {
    const { nodes } = this.#terms;
    return `${nodes.length} nodes of a swarm: ${nodes.map(({ name }) => name).join(", ")}`;
  }

  async carryOut(sweep: Omit<Sweep, "workers"> & { readonly cells: Iterable<Cell> }): Promise<void> {
    const over = new AbortController();
    const watching = this.#watch(over.signal);
    try {
      await this.#desk.carryOut(sweep);
    } finally {
      over.abort();
    }
    const trouble = await watching;
    if (trouble !== null) throw new CannotRunHere(trouble);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#desk[Symbol.asyncDispose]();
    const { docker, label, say } = this.#terms;
    const left = await removeLabelled(docker, label);
    if (left !== null)
      say(
        `the swarm's manager does not answer (${left}): the service ${this.#name} is still there, and its ` +
          "tasks end by themselves; make clean removes it when a manager answers again",
      );
  }

  get #name(): string {
    return `polebench-sweep-${runOf(this.#terms.label)}`;
  }

  async #begin(): Promise<void> {
    const { docker, label, address, workers, sources, image, onManagers } = this.#terms;
    const Labels = { [DOCKER_LABEL]: label };
    const terms: TaskTerms = { address, port: this.#desk.port, sources, workers };
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const [secret, config] = (await Promise.all([
      docker.createSecret({ Name: this.#name, Labels, Data: base64(this.#desk.secret) }),
      docker.createConfig({ Name: this.#name, Labels, Data: base64(JSON.stringify(terms)) }),
    ])) as { id: string }[];
    const file = (Name: string) => ({ Name, UID: USER, GID: USER, Mode: 0o400 });
    await docker.createService({}, {
      Name: this.#name,
      Labels,
      TaskTemplate: {
        ContainerSpec: {
          Image: image,
          Labels,
          Command: [NODE_IN_IMAGE, `${SOURCE_IN_IMAGE}/orchestrator/sweep/swarm/task.ts`],
          Env: ["POLEBENCH_NODE={{.Node.Hostname}}"],
          User: `${USER}:${USER}`,
          Secrets: [{ SecretID: secret?.id ?? "", SecretName: this.#name, File: file(SECRET_FILE) }],
          Configs: [{ ConfigID: config?.id ?? "", ConfigName: this.#name, File: file(CONFIG_FILE) }],
        },
        // The overlay of a swarm needs more of each node's kernel than a task that only calls out.
        Networks: [{ Target: "host" }],
        Placement: {
          Constraints: onManagers ? [] : ["node.role==worker"],
          MaxReplicas: 1,
        },
        RestartPolicy: { Condition: "on-failure", Delay: 2e9, MaxAttempts: 3 },
      },
      Mode: {
        ReplicatedJob: {
          MaxConcurrent: this.#terms.nodes.length,
          TotalCompletions: this.#terms.nodes.length,
        },
      },
    } as Docker.ServiceSpec);
  }

  /** Until it is over; why nothing more can come of it, or null. */
  async #watch(signal: AbortSignal): Promise<string | null> {
    const { patience = PATIENCE_MS } = this.#terms;
    while (!signal.aborted) {
      await sleep(LOOK_MS, null, { signal }).catch(() => null);
      if (signal.aborted) break;
      const isComing = await this.#look();
      const isSilent = this.#desk.silence > (isComing ? COMING_MS : patience);
      const areUnable = this.#terms.nodes.every(
        ({ name }) => this.#desk.unable.has(name) || this.#troubles.has(name),
      );
      if (!isSilent && !(areUnable && !isComing && this.#desk.silence > LOOK_MS)) continue;
      this.#desk.giveUp();
      return this.#why();
    }
    return null;
  }

  /** What the swarm says of its tasks; true while one may still begin. */
  async #look(): Promise<boolean> {
    const { docker, say } = this.#terms;
    try {
      const [nodes, tasks] = await Promise.all([
        docker.listNodes() as Promise<readonly { ID: string; Description?: { Hostname?: string } }[]>,
        docker.listTasks({ filters: { service: [this.#name] } }) as Promise<readonly Task[]>,
      ]);
      if (!this.#isManagerThere) say("the swarm's manager answers again");
      this.#isManagerThere = true;
      const names = new Map(nodes.map(({ ID, Description }) => [ID, Description?.Hostname ?? ID]));
      for (const { NodeID = "", Status } of tasks) this.#note(names.get(NodeID) ?? "", Status);
      return tasks.some(({ Status }) => COMING.includes(Status.State));
    } catch (error) {
      if (this.#isManagerThere)
        say(`the swarm's manager does not answer (${(error as Error).message}); its tasks go on without it`);
      this.#isManagerThere = false;
      return false;
    }
  }

  #note(node: string, { State, Err }: Task["Status"]): void {
    if (!FAILED.includes(State) || Err === undefined || Err === "" || node === "") return;
    if (this.#troubles.get(node) === Err) return;
    this.#troubles.set(node, Err);
    this.#terms.say(`${node}: ${this.#told(Err)}`);
  }

  #told(trouble: string): string {
    const { image } = this.#terms;
    return /no such image/i.test(trouble)
      ? `it has no image ${image}, and no registry gave it: ` +
          `docker save ${image} | docker --host ssh://NODE load, ` +
          "or push it to a registry of yours and name it with --image"
      : trouble;
  }

  #why(): string {
    const told = this.#terms.nodes.flatMap(({ name }) => {
      const trouble = this.#desk.unable.get(name) ?? this.#troubles.get(name);
      return trouble === undefined ? [] : [`${name}: ${this.#told(trouble)}`];
    });
    const { address } = this.#terms;
    const asked = this.#desk.nodes.length === 0 ? "has asked for cells" : "has been heard of";
    const silence = `no node of the swarm ${asked} for ${Math.round(this.#desk.silence / 1e3)} s`;
    if (told.length > 0) return `${silence}:\n  ${told.join("\n  ")}`;
    if (!this.#isManagerThere)
      return `${silence}, and its manager does not answer either; the rows so far are kept`;
    return this.#desk.nodes.length === 0
      ? `${silence}: do they reach ${address}:${this.#desk.port}, or does a firewall keep them? See --at`
      : `${silence}; the rows so far are kept`;
  }
}

interface Task {
  readonly NodeID?: string;
  readonly Status: { readonly State: string; readonly Err?: string };
}

/** Nobody on the node, as all containers of ours. */
const USER = "65532";
const COMING = ["new", "pending", "assigned", "accepted", "preparing", "ready", "starting"];
const FAILED = ["failed", "rejected"];
const LOOK_MS = 2000;
const PATIENCE_MS = 60_000;
/** An image may have to come from far. */
const COMING_MS = 600_000;
