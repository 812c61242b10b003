/**
 * What a fault means, said once: the acts by which it is carried out on whatever has the abilities.
 *
 * A fault is a few lanes, one beside the other, each a few acts, one after the other. Where acts take time
 * the lanes are run side by side and each act is awaited; in virtual time each is done at once. What is cut,
 * and who was crashed or unplugged, is remembered here, so that healing and restarting mean the same
 * everywhere.
 */

import { assert } from "#node/core/assert.ts";
import type { ServerId } from "#node/core/identity.ts";
import { microseconds } from "#node/core/time.ts";
import type { Topology } from "../topology/topology.ts";
import type { Abilities, Act, DiskBend, LinkChange, Way } from "./abilities.ts";
import {
  type ClockFault,
  type Cut,
  type DiskFault,
  type Fault,
  type Forget,
  type Heal,
  type LinkFault,
  type ProcessFault,
  serversOf,
  type Target,
} from "./fault.ts";

/** Acts, each of which is begun when it is asked for. */
export type Lane = Iterable<Act>;

export class Faults {
  readonly #topology: Topology;
  readonly #on: Abilities;
  readonly #crashed: Set<ServerId>;
  readonly #unplugged = new Set<ServerId>();
  readonly #paused = new Set<ServerId>();
  readonly #changed = new Map<string, Way>();
  readonly #bent = new Set<ServerId>();
  /** What was cut and is not healed. */
  #cuts: readonly Way[] = [];

  /** `absent` are down from the beginning. */
  constructor(topology: Topology, on: Abilities, absent: readonly ServerId[] = []) {
    this.#topology = topology;
    this.#on = on;
    this.#crashed = new Set(absent);
  }

  /** Whom it hits, if it strikes now. */
  aimedAt(fault: Fault): readonly ServerId[] {
    switch (fault.kind) {
      case "cut":
      case "cut-one-way":
        return this.#resolve(fault.from);
      case "heal":
        return fault.from === null ? [...this.#topology.servers.keys()] : this.#resolve(fault.from);
      case "forget-bulk":
      case "forget-any":
      case "link":
      case "loss":
      case "duplicate":
      case "corrupt":
      case "rate":
        return [fault.from, fault.to].flatMap((end) => this.#resolve(end));
      default:
        return this.#resolve(fault.target);
    }
  }

  /** `servers` are those that it was aimed at. */
  lanes(fault: Fault, servers: readonly ServerId[]): readonly Lane[] {
    switch (fault.kind) {
      case "cut":
      case "cut-one-way":
        return [this.#cut(fault, servers)];
      case "heal":
        return [this.#heal(fault, servers)];
      case "forget-bulk":
      case "forget-any":
        return [this.#forget(fault)];
      case "link":
      case "loss":
      case "duplicate":
      case "corrupt":
      case "rate":
        return [this.#change(fault)];
      case "clock-jump":
      case "clock-leap":
        return servers.map((server) => this.#shift(fault, server));
      case "disk-full":
      case "disk-failing":
      case "disk-torn":
      case "disk-slow":
      case "disk-stuck":
      case "disk-wiped":
      case "disk-mended":
        return servers.map((server) => this.#bend(fault, server));
      default:
        return servers.map((server) => this.#disturb(fault, server));
    }
  }

  /** Something that a fault began still keeps servers that run from being level. */
  get isHolding(): boolean {
    const { processes } = this.#on;
    const held = [...this.#paused, ...this.#bent].some((server) => processes.isRunning(server));
    return held || this.#changed.size > 0 || this.#cuts.some((way) => !this.#touchesUnplugged(way));
  }

  /**
   * Ends all of it, for a last look at servers that then can be expected to be level. Who is down stays so.
   */
  lifted(): readonly Lane[] {
    const lane = (act: () => Act): Lane =>
      (function* (): Lane {
        yield act();
      })();
    const { network, processes, disks } = this.#on;
    const changed = [...this.#changed.values()];
    return [
      this.#heal({ kind: "heal", from: null, to: null }, []),
      ...changed.map((way) => lane(() => network.change([way], this.#asAtFirst(way)))),
      ...[...this.#paused].map((server) => lane(() => processes.resume(server))),
      ...[...this.#bent].map((server) => lane(() => disks.bend(server, null))),
    ];
  }

  #asAtFirst([from, to]: Way): LinkChange {
    const siteOf = (name: string): string => this.#on.network.machines.get(name)?.site ?? "";
    const { jitter: _, ...shape } = this.#topology.link(siteOf(from), siteOf(to));
    return shape;
  }

  *#disturb({ kind }: ProcessFault, server: ServerId): Lane {
    const { network, processes } = this.#on;
    switch (kind) {
      case "crash":
        this.#crashed.add(server);
        yield processes.kill(server);
        break;
      case "crash-machine":
        this.#crashed.add(server);
        this.#unplugged.add(server);
        yield network.unplug(server);
        yield processes.kill(server);
        break;
      case "pause":
        this.#paused.add(server);
        yield processes.pause(server);
        break;
      case "resume":
        this.#paused.delete(server);
        yield processes.resume(server);
        break;
      case "restart":
        if (!this.#isDown(server)) return;
        this.#crashed.delete(server);
        if (this.#unplugged.delete(server)) yield network.plug(server, this.#waysBackTo(`p${server}`));
        yield processes.start(server);
        break;
      case "transfer":
        yield processes.transfer(server);
        break;
      case "leave":
        // No plan of servers has it: fault-terms.ts.
        break;
    }
  }

  *#bend(fault: DiskFault, server: ServerId): Lane {
    const { processes, disks } = this.#on;
    if (fault.kind !== "disk-wiped") {
      if (fault.kind === "disk-mended") this.#bent.delete(server);
      else this.#bent.add(server);
      yield disks.bend(server, bendOf(fault));
      return;
    }
    this.#crashed.add(server);
    yield processes.kill(server);
    yield disks.wipe(server);
  }

  *#shift({ kind, by }: ClockFault, server: ServerId): Lane {
    const { clocks } = this.#on;
    yield kind === "clock-jump" ? clocks.jump(server, by) : clocks.leap(server, by);
  }

  *#cut({ kind, from, to }: Cut, servers: readonly ServerId[]): Lane {
    const [inside, outside] = this.#sides(from, servers, to);
    const ways = kind === "cut" ? bothWays(inside, outside) : oneWay(inside, outside);
    this.#cuts = [...this.#cuts, ...ways];
    yield this.#on.network.cut(ways);
  }

  *#heal({ from, to }: Heal, servers: readonly ServerId[]): Lane {
    const meant = from === null ? null : new Set(bothWays(...this.#sides(from, servers, to)).map(keyOf));
    const isMeant = (way: Way): boolean => meant === null || meant.has(keyOf(way));
    const ways = this.#cuts.filter((way) => isMeant(way) && !this.#touchesUnplugged(way));
    this.#cuts = this.#cuts.filter((way) => !isMeant(way));
    yield this.#on.network.heal(ways);
  }

  *#change(fault: LinkFault): Lane {
    const ways = bothWays(this.#machinesOf(fault.from), this.#machinesOf(fault.to));
    for (const way of ways) this.#changed.set(keyOf(way), way);
    yield this.#on.network.change(ways, changeOf(fault));
  }

  *#forget({ kind, from, to }: Forget): Lane {
    const ways = oneWay(this.#machinesOf(from), this.#machinesOf(to));
    yield this.#on.network.forget(ways, kind === "forget-bulk" ? "bulk" : "any");
  }

  #sides(
    from: Target,
    servers: readonly ServerId[],
    to: Target | null,
  ): readonly [inside: readonly string[], outside: readonly string[]] {
    const inside = this.#machinesOf(from, servers);
    if (to !== null) return [inside, this.#machinesOf(to)];
    // Whom it talks to as an equal: a site to sites, a server to servers.
    const equals = from.kind === "site" ? [...this.#on.network.machines.keys()] : this.#allServers;
    return [inside, equals.filter((name) => !inside.includes(name))];
  }

  /** What was cut stays cut. */
  #waysBackTo(name: string): readonly Way[] {
    const cut = new Set(this.#cuts.map(keyOf));
    const ways = bothWays([name], [...this.#on.network.machines.keys()]);
    return ways.filter((way) => !cut.has(keyOf(way)) && !this.#touchesUnplugged(way));
  }

  /** A crashed machine is unplugged until it is restarted. */
  #touchesUnplugged(way: Way): boolean {
    return [...this.#unplugged].some((server) => way.includes(`p${server}`));
  }

  /** A site is all its machines, its clients' too; anything else its servers. */
  #machinesOf(target: Target, servers = this.#resolve(target)): readonly string[] {
    if (target.kind !== "site") return servers.map((server) => `p${server}`);
    const { machines } = this.#on.network;
    return [...machines].filter(([, { site }]) => site === target.site).map(([name]) => name);
  }

  /** It may have ended by itself, as one does whose disk is full. */
  #isDown(server: ServerId): boolean {
    return this.#crashed.has(server) || !this.#on.processes.isRunning(server);
  }

  #resolve(target: Target): readonly ServerId[] {
    const leader = target.kind === "leader" ? this.#on.processes.leader() : null;
    const crashed =
      target.kind === "crashed"
        ? [...this.#topology.servers.keys()].filter((server) => this.#isDown(server))
        : [];
    return serversOf(target, { topology: this.#topology, leader, crashed });
  }

  get #allServers(): readonly string[] {
    return [...this.#topology.servers.keys()].map((server) => `p${server}`);
  }
}

/** Side by side, each act awaited before the next of its lane. */
export async function carryOut(lanes: readonly Lane[]): Promise<void> {
  await Promise.all(
    lanes.map(async (lane) => {
      for (const act of lane) await act;
    }),
  );
}

/** Where no act takes time. */
export function carryOutNow(lanes: readonly Lane[]): void {
  for (const lane of lanes) {
    for (const act of lane) assert(act === undefined, "an act takes time where there is none");
  }
}

function bendOf(fault: DiskFault): DiskBend | null {
  switch (fault.kind) {
    case "disk-full":
      return { kind: "full" };
    case "disk-failing":
      return { kind: "failing" };
    case "disk-torn":
      return { kind: "torn" };
    case "disk-stuck":
      return { kind: "stuck" };
    case "disk-slow":
      return { kind: "slow", by: fault.by };
    default:
      return null;
  }
}

function changeOf(fault: LinkFault): LinkChange {
  switch (fault.kind) {
    case "link":
      return { delay: microseconds(fault.roundTrip / 2) };
    case "rate":
      return { rate: fault.bitsPerSecond };
    default:
      return { [fault.kind]: fault.share };
  }
}

const keyOf = ([from, to]: Way): string => `${from} ${to}`;

const oneWay = (inside: readonly string[], outside: readonly string[]): readonly Way[] =>
  inside.flatMap((from) => outside.filter((to) => to !== from).map((to): Way => [from, to]));

const bothWays = (inside: readonly string[], outside: readonly string[]): readonly Way[] => [
  ...oneWay(inside, outside),
  ...oneWay(outside, inside),
];
