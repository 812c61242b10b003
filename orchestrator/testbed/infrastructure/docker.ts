/**
 * Machines as containers. Docker gives them neither a network nor a capability: a holder container keeps each
 * machine's network namespace, the engine gives it its devices from the host, and the machine's processes are
 * containers that join it. So a killed process leaves its kernel behind, as on a real machine.
 */

import { createWriteStream, lchownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type Docker from "dockerode";
import { assert } from "#node/core/assert.ts";
import { feed } from "../command-feed.ts";
import { CannotRunHere, demand, isRoot } from "../environment.ts";
import { DOCKER_LABEL, LABEL_VARIABLE, type Label, runOf } from "../label.ts";
import { findDaemon, reapContainers } from "./daemon.ts";
import { HostProcesses, usageOf } from "./host-process.ts";
import { type Image, NODE_IN_IMAGE, provideImage, SOURCE_IN_IMAGE } from "./image.ts";
import type { Exit, Infrastructure, Machine, ProcessPlan, Running, Usage } from "./infrastructure.ts";
import { allowCongestionControl, tcpSettings } from "./tcp-settings.ts";

export interface DockerOptions {
  readonly label: Label;
  readonly machines: readonly Machine[];
  readonly congestionControl: string | null;
  readonly socketBuffers: number | null;
  readonly base?: "any" | "own";
}

/** Nobody on this host: what breaks out of a container may do there what anybody may. */
const USER = 65532;
/** Keeps a namespace and does nothing; the first argument tells it apart in a list of processes. */
const HOLD = "setInterval(() => {}, 2 ** 30)";

export async function createDocker(options: DockerOptions): Promise<Infrastructure> {
  demand("nsenter");
  if (!isRoot()) {
    throw new CannotRunHere("only root may reach into the network of containers: run as root, or use netns");
  }
  allowCongestionControl(options.congestionControl);
  await using stack = new AsyncDisposableStack();
  const { docker } = stack.use(await findDaemon(options.label));
  await reapContainers(docker);
  const image = await provideImage(docker, options.base);
  const holders = new Map<string, Holder>();
  stack.defer(async () => {
    const ours = await docker.listContainers({
      all: true,
      filters: { label: [`${DOCKER_LABEL}=${options.label}`] },
    });
    await Promise.all(ours.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  });
  await Promise.all(
    options.machines.map(async (machine) =>
      holders.set(machine.name, await hold(docker, image, machine, options)),
    ),
  );
  return new DockerMachines(options, docker, image, holders, stack.move());
}

interface Holder {
  readonly id: string;
  readonly pid: number;
}

async function hold(docker: Docker, image: Image, machine: Machine, options: DockerOptions): Promise<Holder> {
  const container = await docker.createContainer({
    ...common(image, options.label, `${machine.name}-holder`),
    Cmd: [NODE_IN_IMAGE, "--eval", HOLD],
    HostConfig: { ...confined, NetworkMode: "none" },
  });
  await container.start();
  const { State } = await container.inspect();
  if (!isHere(State.Pid, container.id)) throw new CannotRunHere(ELSEWHERE);
  const settings = tcpSettings(options).map(([name, value]) => `net.ipv4.${name}=${value}`);
  await feed(
    ["nsenter", `--net=${namespaceOf(State.Pid)}`, "--", "sysctl", "--quiet", "--write", ...settings],
    "",
  );
  return { id: container.id, pid: State.Pid };
}

const ELSEWHERE =
  "the Docker daemon runs its containers in another machine, as Docker Desktop does, and this host cannot " +
  "reach their network: run the command there, as in: docker/inside make run TOPOLOGY=3dc RUNTIME=docker";

/**
 * Whether this process is the container's: a daemon of another machine counts processes of its own, and the
 * same number is somebody else here.
 */
function isHere(pid: number, container: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "utf8").includes(container);
  } catch {
    return false;
  }
}

const namespaceOf = (pid: number): string => `/proc/${pid}/ns/net`;

const confined = { CapDrop: ["ALL"], SecurityOpt: ["no-new-privileges"] };

const common = (image: Image, label: Label, name: string) => ({
  Image: image.name,
  name: `polebench-${runOf(label)}-${name}`,
  User: `${USER}:${USER}`,
  Labels: { [DOCKER_LABEL]: label },
  Env: [`${LABEL_VARIABLE}=${label}`],
});

class DockerMachines implements Infrastructure {
  readonly kind = "docker";
  readonly label: Label;
  readonly machines: ReadonlyMap<string, Machine>;
  readonly privileged: readonly string[] = [];
  readonly node = NODE_IN_IMAGE;
  readonly source = SOURCE_IN_IMAGE;
  readonly remark: string;
  readonly #docker: Docker;
  readonly #image: Image;
  readonly #holders: ReadonlyMap<string, Holder>;
  readonly #stack: AsyncDisposableStack;
  readonly #outside: HostProcesses;
  #started = 0;

  constructor(
    { label, machines }: DockerOptions,
    docker: Docker,
    image: Image,
    holders: ReadonlyMap<string, Holder>,
    stack: AsyncDisposableStack,
  ) {
    this.label = label;
    this.machines = new Map(machines.map((machine) => [machine.name, machine]));
    this.remark = `containers ${image.remark}`;
    this.#docker = docker;
    this.#image = image;
    this.#holders = holders;
    this.#stack = stack;
    this.#outside = stack.use(new HostProcesses());
  }

  namespace(machine: Machine): string {
    return namespaceOf(this.#holder(machine).pid);
  }

  enter(machine: Machine): readonly string[] {
    return ["nsenter", `--net=${this.namespace(machine)}`, "--"];
  }

  async start(machine: Machine, plan: ProcessPlan): Promise<Running> {
    mkdirSync(dirname(plan.log), { recursive: true });
    this.#started += 1;
    const base = common(this.#image, this.label, `${machine.name}-${this.#started}`);
    const { directory } = plan;
    if (directory !== undefined) handOver(directory);
    const container = await this.#docker.createContainer({
      ...base,
      Cmd: [...plan.command],
      Env: [
        ...base.Env,
        ...Object.entries(plan.environment ?? {}).map(([name, value]) => `${name}=${value}`),
      ],
      ...(directory !== undefined && { WorkingDir: directory }),
      HostConfig: {
        ...confined,
        NetworkMode: `container:${this.#holder(machine).id}`,
        Binds: directory === undefined ? [] : [`${directory}:${directory}`],
      },
    });
    const output = await container.attach({ stream: true, stdout: true, stderr: true });
    const log = createWriteStream(plan.log, { flags: "a" });
    this.#docker.modem.demuxStream(output, log, log);
    output.on("end", () => log.end());
    const ended = container.wait({ condition: "next-exit" }) as Promise<{ StatusCode: number }>;
    await container.start();
    const { State } = await container.inspect();
    return new DockerProcess(machine, plan.log, container, State.Pid, ended);
  }

  startOutside(machine: Machine, plan: ProcessPlan): Promise<Running> {
    return this.#outside.start(this.enter(machine), this.label, machine, plan);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack[Symbol.asyncDispose]();
  }

  #holder({ name }: Machine): Holder {
    const holder = this.#holders.get(name);
    assert(holder !== undefined, `no machine is named ${name}`);
    return holder;
  }
}

class DockerProcess implements Running {
  readonly machine: Machine;
  readonly log: string;
  readonly exited: Promise<Exit>;
  readonly pid: number;
  readonly #container: Docker.Container;
  #ended = false;

  constructor(
    machine: Machine,
    log: string,
    container: Docker.Container,
    pid: number,
    ended: Promise<{ StatusCode: number }>,
  ) {
    this.machine = machine;
    this.log = log;
    this.#container = container;
    this.pid = pid;
    // Docker tells a death by signal as 128 and the signal's number, as a shell does.
    this.exited = ended.then(
      ({ StatusCode: code }) =>
        code > 128 ? { code: null, signal: signalOf(code - 128) } : { code, signal: null },
      () => ({ code: null, signal: "SIGKILL" }),
    );
    void this.exited.then(() => (this.#ended = true));
  }

  /** Directly, because by way of the daemon it would come 10 ms and more after it was due. */
  kill(signal: "SIGKILL" | "SIGTERM" | "SIGINT" = "SIGKILL"): Promise<Exit> {
    try {
      if (!this.#ended) process.kill(this.pid, signal);
    } catch {
      // It has ended by itself.
    }
    return this.exited;
  }

  async pause(): Promise<void> {
    await this.#container.pause();
  }

  async resume(): Promise<void> {
    await this.#container.unpause();
  }

  usage(): Promise<Usage | null> {
    return Promise.resolve(this.#ended ? null : usageOf(this.pid));
  }
}

/** With what an earlier process, or the orchestrator, left in it. */
function handOver(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const inside = readdirSync(directory, { recursive: true, encoding: "utf8" });
  for (const path of ["", ...inside]) lchownSync(join(directory, path), USER, USER);
}

const signalOf = (number: number): string =>
  ({ 2: "SIGINT", 9: "SIGKILL", 15: "SIGTERM" })[number] ?? `signal ${number}`;
