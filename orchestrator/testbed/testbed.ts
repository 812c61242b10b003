/**
 * A testbed: machines at the distances of a topology, on which processes run. Opening one makes the
 * machines, carries their packets, takes the engine's own cost out of every delay, and leaves measuring and
 * certifying to whoever asks.
 */

import type { LinkShape, Topology } from "../topology/topology.ts";
import { isNetemHere } from "./environment.ts";
import type { Infrastructure, Machine, ProcessPlan, Running } from "./infrastructure/infrastructure.ts";
import { createDocker } from "./infrastructure/docker.ts";
import { createNetns } from "./infrastructure/netns.ts";
import { type Label, newLabel } from "./label.ts";
import { type Certificate, type CertificateOptions, certify } from "./network/certificate.ts";
import { directedPairs, type EngineName, machinesOf, NEUTRAL, type Network } from "./network/network.ts";
import { ownCost } from "./network/fidelity.ts";
import { createNetem } from "./network/netem.ts";
import { beyondNetem } from "./network/netem-arguments.ts";
import { createPlane, type PlaneOptions } from "./network/plane.ts";
import type { OneWay } from "./network/probe/survey.ts";
import { pairOf, Prober } from "./network/prober.ts";
import { reap } from "./reaper.ts";

export interface TestbedOptions extends PlaneOptions {
  readonly topology: Topology;
  readonly infrastructure?: "netns" | "docker";
  readonly engine?: EngineName;
  /** TCP's congestion control on every machine; null leaves the host's. */
  readonly congestionControl?: string | null;
  /** The most that TCP may buffer per connection and direction, in bytes; null leaves the kernel's limits. */
  readonly socketBuffers?: number | null;
  /** Of the containers' image: `own` never asks a registry. */
  readonly base?: "any" | "own";
  /** Works as an ordinary user would even when root. */
  readonly rootless?: boolean;
}

export async function openTestbed(options: TestbedOptions): Promise<Testbed> {
  reap();
  const { topology } = options;
  const label = newLabel();
  const machines = machinesOf(topology);
  await using stack = new AsyncDisposableStack();
  const infrastructure = stack.use(await createInfrastructure(options, label, machines));
  const prober = stack.use(new Prober(infrastructure));
  const engine = options.engine ?? (beyondNetem(topology) === null && isNetemHere() ? "netem" : "plane");
  const network = stack.use(
    engine === "netem"
      ? await createNetem(topology, infrastructure)
      : await createPlane(topology, infrastructure, options),
  );
  await warmUp(network, prober, machines);
  await shapeAs(network, machines, (from, to) => calm(topology.link(from.site, to.site)));
  await compensate(network, prober, machines);
  await shapeAs(network, machines, (from, to) => topology.link(from.site, to.site));
  return new Testbed(label, topology, infrastructure, network, prober, stack.move());
}

function createInfrastructure(
  options: TestbedOptions,
  label: Label,
  machines: readonly Machine[],
): Promise<Infrastructure> {
  const common = {
    label,
    machines,
    congestionControl: options.congestionControl ?? null,
    socketBuffers: options.socketBuffers ?? null,
  };
  if (options.infrastructure === "docker") {
    return createDocker({ ...common, ...(options.base !== undefined && { base: options.base }) });
  }
  return createNetns({ ...common, ...(options.rootless !== undefined && { rootless: options.rootless }) });
}

async function shapeAs(
  network: Network,
  machines: readonly Machine[],
  shapeOf: (from: Machine, to: Machine) => LinkShape,
): Promise<void> {
  const changes = [...directedPairs(machines)].map(([from, to]) => ({
    from: from.name,
    to: to.name,
    shape: shapeOf(from, to),
  }));
  await network.shapeAll(changes);
}

/** The distance alone, so that what a passage takes above it is the engine's own. */
const calm = ({ delay }: LinkShape): LinkShape => ({ ...NEUTRAL, delay });

/**
 * As many messages as make the plane's code fast, and as many as make a median sharp. They come more than a
 * millisecond apart, because a lone packet costs the plane some 15 us more than one of thousands a second.
 */
const WARM_UP = 3000;
const SETTLING = 400;
const SETTLING_INTERVAL = 1370;

async function warmUp(network: Network, prober: Prober, machines: readonly Machine[]): Promise<void> {
  if (network.engine === "plane") await survey(prober, machines, WARM_UP, SETTLING_INTERVAL / 10);
}

/** Measures what a passage costs the engine itself, and has it taken off every delay. */
async function compensate(network: Network, prober: Prober, machines: readonly Machine[]): Promise<void> {
  const pace = network.engine === "plane" ? SETTLING_INTERVAL : 2 * SETTLING_INTERVAL;
  const ways = await survey(prober, machines, SETTLING, pace);
  const above = ways.flatMap(({ from, to, delays }) => {
    const { delay } = network.asked(machines[from]?.name ?? "", machines[to]?.name ?? "");
    return delays.map((seen) => seen - delay);
  });
  await network.compensate(ownCost(above));
}

/** From each machine to the next, so many messages in all. */
async function survey(
  prober: Prober,
  machines: readonly Machine[],
  messages: number,
  spacing: number,
): Promise<readonly OneWay[]> {
  const pairs = machines.flatMap((from, index) => {
    const to = machines[(index + 1) % machines.length];
    return to === undefined || to === from ? [] : [pairOf(from, to)];
  });
  if (pairs.length === 0) return [];
  const rounds = Math.ceil(messages / pairs.length);
  const { ways } = await prober.ask({ kind: "one-way", pairs, rounds, interval: spacing * pairs.length });
  return ways;
}

export class Testbed implements AsyncDisposable {
  readonly label: Label;
  readonly topology: Topology;
  readonly infrastructure: Infrastructure;
  readonly network: Network;
  readonly #prober: Prober;
  readonly #stack: AsyncDisposableStack;

  constructor(
    label: Label,
    topology: Topology,
    infrastructure: Infrastructure,
    network: Network,
    prober: Prober,
    stack: AsyncDisposableStack,
  ) {
    this.label = label;
    this.topology = topology;
    this.infrastructure = infrastructure;
    this.network = network;
    this.#prober = prober;
    this.#stack = stack;
  }

  /** By name: p1, p2, ... and clients-SITE. */
  get machines(): ReadonlyMap<string, Machine> {
    return this.infrastructure.machines;
  }

  machine(name: string): Machine {
    const machine = this.machines.get(name);
    if (machine === undefined) throw new Error(`no machine is named ${name}`);
    return machine;
  }

  start(name: string, plan: ProcessPlan): Promise<Running> {
    return this.infrastructure.start(this.machine(name), plan);
  }

  /** On this host, with the network of a machine: clients, and whoever looks at the service. */
  startOutside(name: string, plan: ProcessPlan): Promise<Running> {
    return this.infrastructure.startOutside(this.machine(name), plan);
  }

  certify(options: CertificateOptions = {}): Promise<Certificate> {
    return certify(this.topology, this.infrastructure, this.network, this.#prober, options);
  }

  /** Changes both ways between two machines alike. */
  async shapeBoth(a: string, b: string, change: Partial<LinkShape>): Promise<void> {
    await Promise.all([this.network.shape(a, b, change), this.network.shape(b, a, change)]);
  }

  /**
   * A machine crash: its cables are cut and what it had sent is gone, so nobody hears of it; then whoever
   * started its processes kills them. `rejoin` plugs the cables in again.
   */
  async isolate(name: string): Promise<void> {
    await this.#everyWayOf(name, (from, to) => this.network.cut(from, to, "drop"));
  }

  async rejoin(name: string): Promise<void> {
    await this.#everyWayOf(name, (from, to) => this.network.heal(from, to));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack[Symbol.asyncDispose]();
  }

  async #everyWayOf(name: string, act: (from: string, to: string) => Promise<void>): Promise<void> {
    const others = [...this.machines.keys()].filter((other) => other !== name);
    await Promise.all(others.flatMap((other) => [act(name, other), act(other, name)]));
  }
}
