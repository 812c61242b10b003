/**
 * What must hold in every small world at every moment, whatever arrives, breaks or comes back.
 *
 * The judge stands outside and sees everything: the one order of what was executed anywhere, what lies on
 * every disk, and what each server was told. Whatever it objects to is thrown.
 */

import { assert } from "../../core/assert.ts";
import type { ServerId } from "../../core/identity.ts";
import { majority } from "../../core/quorum.ts";
import { recover } from "../../core/recovery.ts";
import { type Epoch, printZxid, type Zxid } from "../../core/zxid.ts";
import type { Executed } from "./list-service.ts";
import type { SmallWorld, WorldEvent } from "./world.ts";

/** A write that one server has under way, by the number of the write. */
type UnderWay = Set<number>;

export class Invariants {
  /** What was executed by anyone, in the one order. */
  readonly order: Executed[] = [];
  readonly #leaders = new Map<Epoch, ServerId>();
  readonly #seen = new Map<ServerId, { life: number; count: number }>();
  readonly #underWay = new Map<ServerId, UnderWay>();
  /** Up to where a server must have executed before it may give up on writes it has not seen. */
  readonly #settled = new Map<ServerId, { readonly zxid: Zxid; readonly writes: UnderWay }>();
  /** Writes that their server was told can never be executed any more. */
  readonly #dead = new Set<number>();
  /** Whose disk was lost: what they had is not seen any more. */
  readonly #forgetful = new Set<ServerId>();
  /** How much was executed anywhere when a sync was asked for. */
  readonly #syncs = new Map<string, number>();

  asked(world: SmallWorld, server: ServerId, sequence: number): void {
    this.#syncs.set(`${server}/${world.at(server).life}/${sequence}`, this.order.length);
  }

  wrote(server: ServerId, write: number): void {
    const underWay = this.#underWay.get(server) ?? new Set();
    this.#underWay.set(server, underWay.add(write));
  }

  crashed(server: ServerId): void {
    this.#underWay.delete(server);
    this.#settled.delete(server);
  }

  lostDisk(server: ServerId): void {
    this.#forgetful.add(server);
  }

  hear(world: SmallWorld, event: WorldEvent): void {
    if (event.kind === "closed") {
      throw new Error(`${event.server} closed ${event.other}, an honest server: ${event.reason}`);
    }
    if (event.kind !== "output") return;
    const { server, output } = event;
    if (output.kind === "lost") this.#settled.delete(server);
    if (output.kind === "serving") {
      this.#establish(server, output.leader, output.epoch);
      this.#settled.set(server, {
        zxid: output.settled,
        writes: new Set(this.#underWay.get(server)),
      });
    }
    if (output.kind === "synced") {
      const { service, life } = world.at(server);
      const before = this.#syncs.get(`${server}/${life}/${output.sequence}`);
      assert(before !== undefined, `server ${server} was not asked for sync ${output.sequence}`);
      assert(
        service.executed.length >= before,
        `server ${server} answers a sync with ${service.executed.length} of ${before} executed`,
      );
    }
  }

  check(world: SmallWorld): void {
    for (const server of world.servers) this.#checkOne(world, server);
  }

  /** After all is healed: everyone has everything, in the same order. */
  checkLevel(world: SmallWorld): void {
    for (const server of world.servers) {
      const { executed } = world.at(server).service;
      assert(world.at(server).serving, `server ${server} does not serve`);
      assert(executed.length === this.order.length, `server ${server} is behind`);
    }
  }

  #establish(server: ServerId, leader: ServerId, epoch: Epoch): void {
    const known = this.#leaders.get(epoch) ?? leader;
    assert(known === leader, `server ${server} follows ${leader} in epoch ${epoch}, which is ${known}'s`);
    this.#leaders.set(epoch, leader);
  }

  #checkOne(world: SmallWorld, server: ServerId): void {
    const { service, up, life } = world.at(server);
    if (!up) return;
    const { executed } = service;
    const seen = this.#seen.get(server);
    const from = seen?.life === life && seen.count <= executed.length ? seen.count : 0;
    for (let place = from; place < executed.length; place++) {
      const one = executed[place] as Executed;
      const known = this.order[place];
      if (known === undefined) this.#executedFirst(world, one);
      else {
        const same = known.zxid === one.zxid && known.write === one.write;
        assert(same, `server ${server} has ${name(one)} at ${place}, others ${name(known)}`);
      }
      this.#underWay.get(server)?.delete(one.write);
    }
    this.#seen.set(server, { life, count: executed.length });
    this.#giveUp(server, service.applied);
  }

  #executedFirst(world: SmallWorld, one: Executed): void {
    const last = this.order.at(-1);
    assert(last === undefined || last.zxid < one.zxid, `${name(one)} after ${name(last ?? one)}`);
    assert(!this.#dead.has(one.write), `${name(one)} was said to be dead`);
    const holders = world.servers.filter(
      (id) => this.#forgetful.has(id) || isOnDisk(world, id, one.zxid),
    ).length;
    assert(
      holders >= majority(world.servers.length),
      `${name(one)} is executed with ${holders} disks holding it`,
    );
    this.order.push(one);
  }

  #giveUp(server: ServerId, applied: Zxid): void {
    const settled = this.#settled.get(server);
    if (settled === undefined || applied < settled.zxid) return;
    for (const write of settled.writes) {
      if (!this.order.some((one) => one.write === write)) this.#dead.add(write);
      this.#underWay.get(server)?.delete(write);
    }
    this.#settled.delete(server);
  }
}

function isOnDisk(world: SmallWorld, id: ServerId, zxid: Zxid): boolean {
  const { disk, durable } = world.at(id);
  const { snapshot, transactions } = recover(disk.slice(0, durable));
  return zxid <= (snapshot?.zxid ?? 0) || transactions.some((transaction) => transaction.zxid === zxid);
}

const name = ({ zxid, write }: Executed): string => `write ${write} (${printZxid(zxid)})`;
