/** Carries the faults of a plan out on processes and on the packets between machines. */

import { setTimeout as delay } from "node:timers/promises";
import type { ServerId } from "#node/core/identity.ts";
import { microseconds } from "#node/core/time.ts";
import { monotonic } from "../bench/load/clock.ts";
import { type Fault, printFault, serversOf, type Target, type TimedFault } from "../fault/fault.ts";
import type { Mark } from "../recording/recording.ts";
import type { Topology } from "../topology.ts";
import type { LiveServers } from "./live-servers.ts";
import type { Testbed } from "./testbed.ts";

/** Node's timers come up to a millisecond late and more: the rest of the way is spun. */
const SPUN_MS = 3;

export class LiveFaults {
  readonly marks: Mark[] = [];
  readonly #testbed: Testbed;
  readonly #servers: LiveServers;
  readonly #topology: Topology;
  readonly #crashed: Set<ServerId>;
  readonly #isolated = new Set<ServerId>();

  constructor(testbed: Testbed, servers: LiveServers, absent: readonly ServerId[]) {
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
        return this.#cut(servers, fault.to === null ? null : this.#resolve(fault.to), fault.kind === "cut");
      case "heal":
        await this.#eachWay(servers, servers, (from, to) => this.#testbed.network.heal(from, to));
        // A crashed machine stays unplugged until it is restarted.
        await Promise.all([...this.#isolated].map((server) => this.#testbed.isolate(`p${server}`)));
        return;
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
        if (this.#isolated.delete(server)) await this.#testbed.rejoin(`p${server}`);
        return this.#servers.start(server);
    }
  }

  async #cut(inside: readonly ServerId[], to: readonly ServerId[] | null, bothWays: boolean): Promise<void> {
    const outside = to ?? [...this.#topology.servers.keys()].filter((server) => !inside.includes(server));
    const cut = (from: string, target: string): Promise<void> => this.#testbed.network.cut(from, target);
    await this.#eachWay(inside, outside, cut);
    if (bothWays) await this.#eachWay(outside, inside, cut);
  }

  async #change(from: string, to: string, roundTrip: number): Promise<void> {
    const machinesOf = (site: string): readonly string[] =>
      [...this.#testbed.machines.values()].filter((machine) => machine.site === site).map(({ name }) => name);
    const shape = { delay: microseconds(roundTrip / 2) };
    await Promise.all(
      machinesOf(from).flatMap((a) => machinesOf(to).map((b) => this.#testbed.shapeBoth(a, b, shape))),
    );
  }

  async #eachWay(
    from: readonly ServerId[],
    to: readonly ServerId[],
    act: (from: string, to: string) => Promise<void>,
  ): Promise<void> {
    const ways = from.flatMap((a) => to.filter((b) => a !== b).map((b) => act(`p${a}`, `p${b}`)));
    await Promise.all(ways);
  }

  #resolve(target: Target): readonly ServerId[] {
    const leader = target.kind === "leader" ? this.#servers.leader() : null;
    return serversOf(target, { topology: this.#topology, leader, crashed: [...this.#crashed] });
  }
}
