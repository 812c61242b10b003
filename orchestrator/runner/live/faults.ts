/** Carries the faults of a plan out on processes and on the packets between machines. */

import { setTimeout as delay } from "node:timers/promises";
import type { ServerId } from "#node/core/identity.ts";
import { microseconds } from "#node/core/time.ts";
import { monotonic } from "#node/host/monotonic.ts";
import {
  type Cut,
  type Fault,
  printFault,
  serversOf,
  type Target,
  type TimedFault,
} from "../../fault/fault.ts";
import type { Mark } from "../../recording/recording.ts";
import type { Topology } from "../../topology/topology.ts";
import type { Machine } from "../../testbed/infrastructure/infrastructure.ts";
import type { LiveServers } from "./servers.ts";
import type { Network } from "../../testbed/network/network.ts";

/** Node's timers come up to a millisecond late and more: the rest of the way is spun. */
const SPUN_MS = 3;

/** From one machine to another. */
type Way = readonly [from: string, to: string];

/** What faults are done to: a testbed, and its servers. */
export interface Afflicted {
  readonly topology: Topology;
  readonly machines: ReadonlyMap<string, Pick<Machine, "name" | "site">>;
  readonly network: Pick<Network, "asked" | "cut" | "heal" | "shape">;
  isolate(name: string): Promise<void>;
}

type Servers = Pick<LiveServers, "kill" | "leader" | "pause" | "resume" | "start">;

export class LiveFaults {
  readonly marks: Mark[] = [];
  readonly #testbed: Afflicted;
  readonly #servers: Servers;
  readonly #topology: Topology;
  readonly #crashed: Set<ServerId>;
  readonly #isolated = new Set<ServerId>();
  /** What was cut and is not healed. */
  #cuts: readonly Way[] = [];

  constructor(testbed: Afflicted, servers: Servers, absent: readonly ServerId[]) {
    this.#testbed = testbed;
    this.#servers = servers;
    this.#topology = testbed.topology;
    this.#crashed = new Set(absent);
  }

  /** `origin` is when the load begins; resolves after the last fault. */
  async carryOut(faults: readonly TimedFault[], origin: number, signal: AbortSignal): Promise<void> {
    for (const { at, fault } of faults) {
      const due = origin + at;
      await delay(Math.max(0, (due - monotonic()) / 1e3 - SPUN_MS), undefined, { signal });
      // Whom it hits is looked up before, so that looking takes no time from the recovery.
      const servers = this.#aimedAt(fault);
      while (monotonic() < due);
      const mark = { at: monotonic() - origin, fault: printFault(fault), servers };
      this.marks.push(mark);
      await this.#do(fault, servers);
    }
  }

  #aimedAt(fault: Fault): readonly ServerId[] {
    switch (fault.kind) {
      case "cut":
      case "cut-one-way":
        return this.#resolve(fault.from);
      case "heal":
        return [...this.#topology.servers.keys()];
      case "link":
        return [fault.from, fault.to].flatMap((site) => this.#topology.sites.get(site)?.servers ?? []);
      default:
        return this.#resolve(fault.target);
    }
  }

  async #do(fault: Fault, servers: readonly ServerId[]): Promise<void> {
    switch (fault.kind) {
      case "cut":
      case "cut-one-way":
        return this.#cut(fault, servers);
      case "heal":
        return this.#heal();
      case "link":
        return this.#change(fault.from, fault.to, fault.roundTrip);
      default:
        await Promise.all(servers.map((server) => this.#disturb(fault.kind, server)));
    }
  }

  async #disturb(
    kind: "crash" | "crash-machine" | "pause" | "resume" | "restart",
    server: ServerId,
  ): Promise<void> {
    switch (kind) {
      case "crash":
        this.#crashed.add(server);
        return this.#servers.kill(server);
      case "crash-machine":
        this.#crashed.add(server);
        this.#isolated.add(server);
        await this.#testbed.isolate(`p${server}`);
        return this.#servers.kill(server);
      case "pause":
        return this.#servers.pause(server);
      case "resume":
        return this.#servers.resume(server);
      case "restart":
        if (!this.#crashed.delete(server)) return;
        if (this.#isolated.delete(server)) await this.#rejoin(`p${server}`);
        return this.#servers.start(server);
    }
  }

  async #cut({ kind, from, to }: Cut, servers: readonly ServerId[]): Promise<void> {
    const inside = this.#machinesOf(from, servers);
    const outside =
      to === null
        ? this.#peersOf(from).filter((name) => !inside.includes(name))
        : this.#machinesOf(to, this.#resolve(to));
    const ways = kind === "cut" ? bothWays(inside, outside) : oneWay(inside, outside);
    this.#cuts = [...this.#cuts, ...ways];
    await Promise.all(ways.map(([a, b]) => this.#testbed.network.cut(a, b)));
  }

  async #heal(): Promise<void> {
    const ways = this.#cuts.filter((way) => !way.some((name) => this.#isUnplugged(name)));
    this.#cuts = [];
    await this.#mend(ways);
  }

  /** Its cables are back; what was cut stays cut. */
  async #rejoin(name: string): Promise<void> {
    const ways = bothWays([name], [...this.#testbed.machines.keys()]);
    const isCut = ([from, to]: Way): boolean => this.#cuts.some(([a, b]) => a === from && b === to);
    await this.#mend(ways.filter((way) => !isCut(way) && !way.some((end) => this.#isUnplugged(end))));
  }

  /** A crashed machine is, until it is restarted. */
  #isUnplugged(name: string): boolean {
    return [...this.#isolated].some((server) => name === `p${server}`);
  }

  async #mend(ways: readonly Way[]): Promise<void> {
    await Promise.all(ways.map(([from, to]) => this.#testbed.network.heal(from, to)));
  }

  async #change(from: string, to: string, roundTrip: number): Promise<void> {
    const ways = bothWays(this.#machinesAt(from), this.#machinesAt(to));
    await Promise.all(ways.map(([a, b]) => this.#stretch(a, b, roundTrip / 2)));
  }

  async #stretch(from: string, to: string, wanted: number): Promise<void> {
    const { network } = this.#testbed;
    const { delay: before, jitter } = network.asked(from, to);
    const shape = { delay: microseconds(wanted) };
    if (jitter === null) return network.shape(from, to, shape);
    const scale = microseconds((jitter.scale * wanted) / before);
    return network.shape(from, to, { ...shape, jitter: { ...jitter, scale } });
  }

  /** A site is all its machines, its clients' too; anything else its servers. */
  #machinesOf(target: Target, servers: readonly ServerId[]): readonly string[] {
    return target.kind === "site" ? this.#machinesAt(target.site) : servers.map((server) => `p${server}`);
  }

  /** Whom it talks to as an equal: a site to sites, a server to servers. */
  #peersOf({ kind }: Target): readonly string[] {
    if (kind === "site") return [...this.#testbed.machines.keys()];
    return [...this.#topology.servers.keys()].map((server) => `p${server}`);
  }

  #machinesAt(site: string): readonly string[] {
    return [...this.#testbed.machines.values()]
      .filter((machine) => machine.site === site)
      .map(({ name }) => name);
  }

  #resolve(target: Target): readonly ServerId[] {
    const leader = target.kind === "leader" ? this.#servers.leader() : null;
    return serversOf(target, { topology: this.#topology, leader, crashed: [...this.#crashed] });
  }
}

const oneWay = (inside: readonly string[], outside: readonly string[]): readonly Way[] =>
  inside.flatMap((from) => outside.filter((to) => to !== from).map((to): Way => [from, to]));

const bothWays = (inside: readonly string[], outside: readonly string[]): readonly Way[] => [
  ...oneWay(inside, outside),
  ...oneWay(outside, inside),
];
