/** Carries the faults of a plan out on an ensemble in virtual time. */

import type { ServerId } from "#node/core/identity.ts";
import { after, type Duration, type Instant } from "#node/core/time.ts";
import type { VirtualEnsemble } from "#node/host/virtual/ensemble.ts";
import type { VirtualClients } from "#node/host/virtual/clients.ts";
import type { ServerProtocol } from "#node/front/server.ts";
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
import type { SimulatedNetwork } from "./network.ts";

export interface Stage {
  readonly topology: Topology;
  readonly ensemble: VirtualEnsemble<ServerProtocol>;
  readonly network: SimulatedNetwork;
  readonly clients: VirtualClients;
  readonly crashed: Set<ServerId>;
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
  /** What was cut and is not healed. */
  readonly #cuts: (readonly [from: ServerId, to: ServerId])[] = [];

  constructor(stage: Stage, faults: readonly TimedFault[], origin: Instant) {
    this.#stage = stage;
    this.#origin = origin;
    for (const { at, fault } of faults) stage.ensemble.at(after(origin, at), () => this.#carryOut(fault));
  }

  #carryOut(fault: Fault): void {
    const servers = this.#do(fault);
    this.marks.push({ at: this.#stage.ensemble.now - this.#origin, fault: printFault(fault), servers });
  }

  #do(fault: Fault): readonly ServerId[] {
    const { topology, network } = this.#stage;
    switch (fault.kind) {
      case "cut":
      case "cut-one-way":
        return this.#cut(fault);
      case "heal":
        for (const [from, to] of this.#cuts.splice(0)) this.#stage.ensemble.heal(from, to);
        this.#stage.cutWays.clear();
        this.#stage.clients.healed();
        return [...topology.servers.keys()];
      case "link":
        network.change(fault.from, fault.to, fault.roundTrip);
        return [fault.from, fault.to].flatMap((site) => topology.sites.get(site)?.servers ?? []);
      default: {
        const servers = this.#resolve(fault.target);
        for (const server of servers) this.#disturb(fault.kind, server);
        return servers;
      }
    }
  }

  #disturb(kind: "crash" | "crash-machine" | "pause" | "resume" | "restart", server: ServerId): void {
    const { ensemble, clients, crashed, dark } = this.#stage;
    switch (kind) {
      case "crash":
        crashed.add(server);
        // It does nothing any more, but until its memory is freed its kernel keeps its connections.
        ensemble.pause(server);
        ensemble.at(after(ensemble.now, this.#stage.exit), () => {
          if (!crashed.has(server)) return;
          ensemble.crashProcess(server);
          clients.processDied(server);
        });
        break;
      case "crash-machine":
        crashed.add(server);
        dark.add(server);
        ensemble.crashMachine(server);
        clients.machineDied(server);
        break;
      case "pause":
        ensemble.pause(server);
        break;
      case "resume":
        ensemble.resume(server);
        break;
      case "restart":
        if (!crashed.delete(server)) break;
        // Killed a moment ago, it is not quite gone.
        ensemble.crashProcess(server);
        if (!dark.delete(server)) clients.processDied(server);
        ensemble.start(server);
        break;
    }
  }

  #cut({ kind, from, to }: Cut): readonly ServerId[] {
    const { topology, ensemble } = this.#stage;
    const inside = this.#resolve(from);
    const others = [...topology.servers.keys()].filter((server) => !inside.includes(server));
    for (const a of inside) {
      for (const b of to === null ? others : this.#resolve(to)) {
        if (a === b) continue;
        this.#cuts.push([a, b]);
        if (kind === "cut") this.#cuts.push([b, a]);
      }
    }
    for (const [a, b] of this.#cuts) ensemble.cut(a, b);
    this.#cutClients(from, inside, to);
    return inside;
  }

  /** A site is its clients too; a way that is cut in one direction is of no use to them in either. */
  #cutClients(from: Target, inside: readonly ServerId[], to: Target | null): void {
    const { topology, cutWays } = this.#stage;
    const cut = (site: string, servers: readonly ServerId[]): void => {
      for (const server of servers) cutWays.add(wayKey(site, server));
    };
    if (to?.kind === "site") cut(to.site, inside);
    if (from.kind !== "site") return;
    const outside = [...topology.servers.keys()].filter((server) => !inside.includes(server));
    cut(from.site, to === null ? outside : this.#resolve(to));
    if (to !== null) return;
    for (const site of topology.sites.keys()) if (site !== from.site) cut(site, inside);
  }

  #resolve(target: Target): readonly ServerId[] {
    const { topology, crashed } = this.#stage;
    return serversOf(target, { topology, leader: this.#stage.leader(), crashed: [...crashed] });
  }
}
