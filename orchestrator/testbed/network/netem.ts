/**
 * The engine `netem`: the kernel delays the packets itself.
 *
 * Each two machines are joined by a veth pair of their own, and at the root of each end sits one netem, so
 * that no classifier is needed and every directed way has its own counters. Both ends of a pair have the same
 * hardware address and do no ARP: its questions would be delayed like any packet, and add a round trip to
 * every first connection.
 */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "#node/core/assert.ts";
import type { LinkShape, Topology } from "../../topology/topology.ts";
import { feed } from "../command-feed.ts";
import { CannotRunHere, demand, isNetemHere } from "../environment.ts";
import type { Infrastructure, Machine } from "../infrastructure/infrastructure.ts";
import { labelledFolder } from "../reaper.ts";
import { netemTable } from "./distribution.ts";
import {
  beyondNetem,
  difference,
  isSwinging,
  netemArguments,
  type NetemState,
  NO_SWINGS,
  tableName,
} from "./netem-arguments.ts";
import {
  type Change,
  directedPairs,
  isPlain,
  NEUTRAL,
  type Network,
  type NetworkReport,
  type WayReport,
} from "./network.ts";

const NO_NETEM = "this kernel has no sch_netem: modprobe sch_netem, or take --engine plane";

export async function createNetem(topology: Topology, infrastructure: Infrastructure): Promise<Network> {
  demand("ip", "tc");
  const beyond = beyondNetem(topology);
  if (beyond !== null) throw new CannotRunHere(beyond);
  const machines = [...infrastructure.machines.values()];
  const netem = new Netem(infrastructure, topology.ordered);
  try {
    await Promise.all(machines.map((machine) => netem.lay(machine)));
    await Promise.all(machines.map((machine) => netem.connect(machine)));
    await Promise.all(machines.map((machine) => netem.establish(machine)));
  } catch (error) {
    await netem[Symbol.asyncDispose]();
    throw isNetemHere() ? error : new CannotRunHere(NO_NETEM, { cause: error });
  }
  return netem;
}

const deviceTo = ({ index }: Machine): string => `to${index}`;

class Netem implements Network {
  readonly engine = "netem";
  readonly #infrastructure: Infrastructure;
  readonly #machines: readonly Machine[];
  readonly #ordered: boolean;
  readonly #asked = new Map<string, LinkShape>();
  readonly #cut = new Set<string>();
  readonly #tables: string;
  #earlier = 0;

  constructor(infrastructure: Infrastructure, ordered: boolean) {
    this.#infrastructure = infrastructure;
    this.#machines = [...infrastructure.machines.values()];
    this.#ordered = ordered;
    this.#tables = labelledFolder("tc", infrastructure.label);
    for (const [from, to] of directedPairs(this.#machines))
      this.#asked.set(`${from.name} ${to.name}`, NEUTRAL);
    for (const shape of ["pareto", "normal", "uniform"] as const) {
      writeFileSync(join(this.#tables, `${tableName(shape)}.dist`), netemTable(shape));
    }
  }

  /** The cables from this machine to those after it. */
  async lay(machine: Machine): Promise<void> {
    const lines = this.#machines.slice(machine.index + 1).map((other) => {
      const address = hardwareAddress(machine.index, other.index);
      const peer = `peer name ${deviceTo(machine)} address ${address} arp off`;
      const there = this.#infrastructure.namespace(other);
      return `link add ${deviceTo(other)} address ${address} arp off type veth ${peer} netns ${there}`;
    });
    await this.#ip(machine, lines);
  }

  /** Its address, which is on no cable, and the way to every other. */
  async connect(machine: Machine): Promise<void> {
    const others = this.#others(machine);
    await this.#ip(machine, [
      `address add ${machine.address}/32 dev lo`,
      ...others.map((other) => `link set dev ${deviceTo(other)} txqueuelen 1000 up`),
      ...others.map((other) => `route add ${other.address}/32 dev ${deviceTo(other)} src ${machine.address}`),
    ]);
  }

  async establish(machine: Machine): Promise<void> {
    const others = this.#others(machine);
    const lines = others.map((other) => this.#line("add", machine, other));
    await this.#tc(machine, lines);
    await this.#verify(machine);
  }

  async shapeAll(changes: readonly Change[]): Promise<void> {
    for (const { from, to, shape } of changes) this.#ask(from, to, shape);
    await Promise.all(this.#machines.map((machine) => this.#changeFrom(machine)));
  }

  async shape(from: string, to: string, change: Partial<LinkShape>): Promise<void> {
    this.#ask(from, to, { ...this.asked(from, to), ...change });
    if (this.#cut.has(`${from} ${to}`)) return;
    await this.#change(from, to);
  }

  async cut(from: string, to: string, inFlight: "deliver" | "drop" = "deliver"): Promise<void> {
    this.#cut.add(`${from} ${to}`);
    if (inFlight === "deliver") {
      await this.#change(from, to);
      return;
    }
    // Only here is a queue thrown away with all that is in it: that is what was asked.
    const [sender, receiver] = this.#pair(from, to);
    const remove = `qdisc del dev ${deviceTo(receiver)} root`;
    await this.#tc(sender, [remove, this.#line("add", sender, receiver)]);
  }

  async heal(from: string, to: string): Promise<void> {
    this.#cut.delete(`${from} ${to}`);
    await this.#change(from, to);
  }

  forget(): Promise<void> {
    return Promise.reject(
      new CannotRunHere("netem knows packets, no connections to forget: take --engine plane"),
    );
  }

  asked(from: string, to: string): LinkShape {
    const shape = this.#asked.get(`${from} ${to}`);
    assert(shape !== undefined, `no way from ${from} to ${to}`);
    return shape;
  }

  async compensate(microseconds: number): Promise<boolean> {
    this.#earlier = Math.max(0, microseconds);
    await Promise.all(this.#machines.map((machine) => this.#changeFrom(machine)));
    return true;
  }

  async report(): Promise<NetworkReport> {
    const ways = await Promise.all(this.#machines.map((machine) => this.#reportFrom(machine)));
    return {
      ways: ways.flat(),
      processor: null,
      late: null,
      remark: "the kernel's netem, a veth pair for each two machines",
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#tables, { recursive: true, force: true });
    return Promise.resolve();
  }

  async #reportFrom(machine: Machine): Promise<readonly WayReport[]> {
    const states = await this.#states(machine);
    return this.#machines.flatMap((other) => {
      const state = states.get(deviceTo(other));
      if (state === undefined || other === machine) return [];
      const key = `${machine.name} ${other.name}`;
      const { packets = 0, drops = 0 } = state;
      const [isCut, isLossy] = [this.#cut.has(key), this.asked(machine.name, other.name).loss > 0];
      return [
        {
          from: machine.name,
          to: other.name,
          packets: packets + drops,
          delivered: packets,
          lost: isLossy && !isCut ? drops : 0,
          cut: isCut ? drops : 0,
          overflowed: isLossy || isCut ? 0 : drops,
          reordered: 0,
        },
      ];
    });
  }

  #ask(from: string, to: string, shape: LinkShape): void {
    if (isSwinging(shape)) throw new CannotRunHere(`${from} to ${to}: ${NO_SWINGS}`);
    this.#asked.set(`${from} ${to}`, shape);
  }

  async #change(from: string, to: string): Promise<void> {
    const [sender, receiver] = this.#pair(from, to);
    await this.#changeFrom(sender, [receiver]);
  }

  /** First how packets leave, then how large they may be, then whether the kernel has understood. */
  async #changeFrom(sender: Machine, receivers = this.#others(sender)): Promise<void> {
    await this.#tc(
      sender,
      receivers.map((receiver) => this.#line("change", sender, receiver)),
    );
    await this.#ip(
      sender,
      receivers.map((receiver) => {
        const segments = isPlain(this.asked(sender.name, receiver.name)) ? 65_535 : 1;
        return `link set dev ${deviceTo(receiver)} gso_max_segs ${segments}`;
      }),
    );
    await this.#verify(sender);
  }

  #others(machine: Machine): readonly Machine[] {
    return this.#machines.filter((other) => other !== machine);
  }

  #line(action: "add" | "change", from: Machine, to: Machine): string {
    const told = netemArguments(this.#told(from, to), this.#ordered, this.#earlier).join(" ");
    return `qdisc ${action} dev ${deviceTo(to)} root handle 1: netem ${told}`;
  }

  /** The asked shape, or one that loses all. */
  #told(from: Machine, to: Machine): LinkShape {
    const shape = this.asked(from.name, to.name);
    return this.#cut.has(`${from.name} ${to.name}`) ? { ...shape, loss: 1 } : shape;
  }

  async #verify(machine: Machine): Promise<void> {
    const states = await this.#states(machine);
    for (const other of this.#machines) {
      if (other === machine) continue;
      const state = states.get(deviceTo(other));
      const wrong =
        state === undefined
          ? "it is not there"
          : difference(state, this.#told(machine, other), this.#ordered, this.#earlier);
      if (wrong !== null) throw new CannotRunHere(`netem from ${machine.name} to ${other.name}: ${wrong}`);
    }
  }

  async #states(machine: Machine): Promise<ReadonlyMap<string, NetemState>> {
    const command = [...this.#infrastructure.enter(machine), "tc", "-j", "-s", "qdisc", "show"];
    const states = JSON.parse(await feed(command, "")) as readonly NetemState[];
    return new Map(states.filter(({ kind }) => kind === "netem").map((state) => [state.dev, state]));
  }

  #pair(from: string, to: string): readonly [Machine, Machine] {
    const [a, b] = [from, to].map((name) => this.#infrastructure.machines.get(name));
    assert(a !== undefined && b !== undefined, `no way from ${from} to ${to}`);
    return [a, b];
  }

  async #ip(machine: Machine, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    await feed([...this.#infrastructure.enter(machine), "ip", "-batch", "-"], `${lines.join("\n")}\n`);
  }

  async #tc(machine: Machine, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const tc = ["env", `TC_LIB_DIR=${this.#tables}`, "tc", "-batch", "-"];
    await feed([...this.#infrastructure.enter(machine), ...tc], `${lines.join("\n")}\n`);
  }
}

/** The same for both ends of the pair: locally administered, and its two numbers in the last bytes. */
function hardwareAddress(a: number, b: number): string {
  const bytes = [0x02, 0x77, a >> 8, a & 255, b >> 8, b & 255];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}
