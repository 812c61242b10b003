/** Carries the faults of a plan out on an ensemble in virtual time. */

import type { ServerId } from "#node/core/identity.ts";
import { serverId } from "#node/core/identity.ts";
import { after, type Duration, type Instant } from "#node/core/time.ts";
import type { ServerProtocol } from "#node/front/server.ts";
import type { VirtualClients } from "#node/host/virtual/clients.ts";
import type { VirtualEnsemble } from "#node/host/virtual/ensemble.ts";
import type { Clocks, DiskBend, Disks, LinkChange, Network, Processes, Way } from "../../fault/abilities.ts";
import { carryOutNow, Faults } from "../../fault/carry-out.ts";
import type { Fault, TimedFault } from "../../fault/fault.ts";
import { printFault } from "../../fault/words.ts";
import type { Mark } from "../../recording/recording.ts";
import { clientsOf } from "../../testbed/network/network.ts";
import type { Topology } from "../../topology/topology.ts";
import type { SimulatedNetwork } from "./network.ts";

export interface Stage {
  readonly topology: Topology;
  readonly ensemble: VirtualEnsemble<ServerProtocol>;
  readonly network: SimulatedNetwork;
  readonly clients: VirtualClients;
  readonly absent: readonly ServerId[];
  /** Servers whose machine has no power. */
  readonly dark: Set<ServerId>;
  /** By `wayKey`: where clients of a site and a server do not reach each other. */
  readonly cutWays: Set<string>;
  /** How long a killed process takes to be gone. */
  readonly exit: Duration;
  leader(): ServerId | null;
}

export const wayKey = (site: string, server: ServerId): string => `${site} p${server}`;

export class SimulatedFaults {
  readonly marks: Mark[] = [];
  readonly #stage: Stage;
  readonly #origin: Instant;
  readonly #faults: Faults;

  constructor(stage: Stage, faults: readonly TimedFault[], origin: Instant) {
    this.#stage = stage;
    this.#origin = origin;
    const { topology, ensemble, absent } = stage;
    const on = {
      network: new VirtualNetwork(stage),
      processes: new VirtualProcesses(stage),
      disks: new VirtualDisks(ensemble),
      clocks: clocksOf(ensemble),
    };
    this.#faults = new Faults(topology, on, absent);
    for (const { at, fault } of faults) ensemble.at(after(origin, at), () => this.#carryOut(fault));
  }

  /** Whether there was anything to lift. */
  lift(): boolean {
    if (!this.#faults.isHolding) return false;
    carryOutNow(this.#faults.lifted());
    return true;
  }

  #carryOut(fault: Fault): void {
    const servers = this.#faults.aimedAt(fault);
    carryOutNow(this.#faults.lanes(fault, servers));
    this.marks.push({ at: this.#stage.ensemble.now - this.#origin, fault: printFault(fault), servers });
  }
}

/** Between servers it is the ensemble's; clients are of sites, and either reach a server or do not. */
class VirtualNetwork implements Network {
  readonly #stage: Stage;
  /** Between a site's clients and servers, by direction. */
  readonly #cut = new Set<string>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get machines(): ReadonlyMap<string, { readonly site: string }> {
    return this.#stage.network.machines;
  }

  cut(ways: readonly Way[]): void {
    for (const way of ways) {
      const [from, to] = serversAt(way);
      if (from !== null && to !== null) this.#stage.ensemble.cut(from, to);
      else this.#cut.add(way.join(" "));
    }
    this.#tellClients();
  }

  heal(ways: readonly Way[]): void {
    for (const way of ways) {
      const [from, to] = serversAt(way);
      if (from !== null && to !== null) this.#stage.ensemble.heal(from, to);
      else this.#cut.delete(way.join(" "));
    }
    this.#tellClients();
    this.#stage.clients.healed();
  }

  /** Only servers have connections of two kinds; plans that would have another forgotten are refused. */
  forget(ways: readonly Way[]): void {
    for (const way of ways) {
      const [from, to] = serversAt(way);
      if (from !== null && to !== null) this.#stage.ensemble.forgetBulk(from, to);
    }
  }

  change(ways: readonly Way[], change: LinkChange): void {
    for (const [from, to] of ways) this.#stage.network.change(from, to, change);
  }

  unplug(server: ServerId): void {
    const { ensemble, clients, dark } = this.#stage;
    dark.add(server);
    ensemble.crashMachine(server);
    clients.machineDied(server);
  }

  plug(server: ServerId): void {
    this.#stage.dark.delete(server);
  }

  /** A way that is cut in one direction is of no use to them in either. */
  #tellClients(): void {
    const { topology, cutWays } = this.#stage;
    cutWays.clear();
    for (const site of topology.sites.keys()) {
      for (const server of topology.servers.keys()) {
        const ends = [clientsOf(site), `p${server}`];
        if (this.#cut.has(ends.join(" ")) || this.#cut.has(ends.toReversed().join(" ")))
          cutWays.add(wayKey(site, server));
      }
    }
  }
}

class VirtualProcesses implements Processes {
  readonly #stage: Stage;
  /** Killed, and perhaps not quite gone. */
  readonly #killed = new Set<ServerId>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  leader(): ServerId | null {
    return this.#stage.leader();
  }

  isRunning(server: ServerId): boolean {
    return this.#stage.ensemble.isRunning(server);
  }

  /** It does nothing any more, but until its memory is freed its kernel keeps its connections. */
  kill(server: ServerId): void {
    const { ensemble, exit } = this.#stage;
    this.#killed.add(server);
    ensemble.pause(server);
    ensemble.at(after(ensemble.now, exit), () => {
      if (this.#killed.has(server)) ensemble.crashProcess(server);
    });
  }

  pause(server: ServerId): void {
    this.#stage.ensemble.pause(server);
  }

  resume(server: ServerId): void {
    if (!this.#killed.has(server)) this.#stage.ensemble.resume(server);
  }

  transfer(to: ServerId): void {
    const leader = this.leader();
    if (leader !== null) this.#stage.ensemble.request(leader, { kind: "transfer", to });
  }

  start(server: ServerId): void {
    const { ensemble } = this.#stage;
    this.#killed.delete(server);
    // Killed a moment ago, it is not quite gone.
    ensemble.crashProcess(server);
    ensemble.start(server);
  }
}

class VirtualDisks implements Disks {
  readonly #ensemble: VirtualEnsemble<ServerProtocol>;

  constructor(ensemble: VirtualEnsemble<ServerProtocol>) {
    this.#ensemble = ensemble;
  }

  bend(server: ServerId, bend: DiskBend | null): void {
    const disk = this.#ensemble.disk(server);
    disk.fill(bend?.kind === "full");
    disk.hold(bend?.kind === "stuck");
    disk.delay(bend?.kind === "slow" ? bend.by : (0 as Duration));
    disk.break(bend?.kind === "failing" || bend?.kind === "torn" ? bend.kind : null);
  }

  wipe(server: ServerId): void {
    this.#ensemble.crashProcess(server);
    this.#ensemble.disk(server).wipe();
  }
}

const clocksOf = (ensemble: VirtualEnsemble<ServerProtocol>): Clocks => ({
  jump: (server, by) => ensemble.jumpClock(server, by),
  leap: (server, by) => ensemble.leapClock(server, by),
});

/** Null for a machine of clients. */
const serversAt = ([from, to]: Way): readonly [ServerId | null, ServerId | null] => [
  serverAt(from),
  serverAt(to),
];

function serverAt(machine: string): ServerId | null {
  const [, id] = /^p([0-9]+)$/.exec(machine) ?? [];
  return id === undefined ? null : serverId(Number(id));
}
