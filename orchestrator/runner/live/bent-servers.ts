/** The disks and clocks of the servers of a trial, which go wrong when they are ordered to. */

import type { ServerId } from "#node/core/identity.ts";
import type { Duration } from "#node/core/time.ts";
import type { Clocks, DiskBend, Disks } from "../../fault/abilities.ts";
import { giveOrders, NO_ORDERS, type Orders } from "../../fault/orders.ts";
import { homeOf, type SystemTrial } from "../../system/system.ts";
import type { OwnDisks } from "./own-disks.ts";
import type { LiveServers } from "./servers.ts";

export class BentServers implements Disks, Clocks {
  readonly #system: Pick<SystemTrial, "wipe">;
  readonly #servers: Pick<LiveServers, "mayEnd">;
  readonly #disks: Pick<OwnDisks, "hold" | "release">;
  readonly #folder: string;
  readonly #orders = new Map<ServerId, Orders>();

  constructor(
    system: Pick<SystemTrial, "wipe">,
    servers: Pick<LiveServers, "mayEnd">,
    disks: Pick<OwnDisks, "hold" | "release">,
    folder: string,
  ) {
    this.#system = system;
    this.#servers = servers;
    this.#disks = disks;
    this.#folder = folder;
  }

  /** One that is stuck stands still itself; for all else there is a layer over it. */
  async bend(server: ServerId, disk: DiskBend | null): Promise<void> {
    this.#servers.mayEnd(server, disk !== null && disk.kind !== "slow");
    if (disk?.kind === "stuck") return this.#disks.hold(server);
    if (disk === null) await this.#disks.release(server);
    this.#order(server, () => ({ disk }));
  }

  wipe(server: ServerId): void {
    this.#system.wipe(server);
  }

  jump(server: ServerId, by: Duration): void {
    this.#order(server, ({ wallMs }) => ({ wallMs: wallMs + by / 1e3 }));
  }

  leap(server: ServerId, by: Duration): void {
    this.#order(server, ({ leaptMs }) => ({ leaptMs: leaptMs + by / 1e3 }));
  }

  #order(server: ServerId, change: (before: Orders) => Partial<Orders>): void {
    const before = this.#orders.get(server) ?? NO_ORDERS;
    const orders = { ...before, ...change(before) };
    this.#orders.set(server, orders);
    giveOrders(homeOf(this.#folder, server), orders);
  }
}
