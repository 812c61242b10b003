/**
 * What each server would still know if its power failed now: the records that are durable, read as recovery
 * reads them.
 *
 * A transaction may be executed anywhere only when a quorum of servers has it among these.
 */

import type { ServerId } from "../../../core/identity.ts";
import { majority } from "../../../core/quorum.ts";
import type { LogRecord, Recovered } from "../../../core/record.ts";
import { printZxid, type Zxid, ZERO } from "../../../core/zxid.ts";
import { Violation } from "./sequence.ts";

interface Disk {
  /** Appended in this life and not yet durable. */
  readonly queue: LogRecord[];
  durableInLife: number;
  /** The zxids held, ascending; those up to `base` are in a snapshot. */
  zxids: Zxid[];
  base: Zxid;
}

export class Disks {
  readonly #servers: readonly ServerId[];
  readonly #disks = new Map<ServerId, Disk>();

  constructor(servers: readonly ServerId[]) {
    this.#servers = servers;
  }

  started(server: ServerId, recovered: Recovered): void {
    this.#disks.set(server, {
      queue: [],
      durableInLife: 0,
      zxids: recovered.transactions.map(({ zxid }) => zxid),
      base: recovered.snapshot?.zxid ?? ZERO,
    });
  }

  appended(server: ServerId, records: readonly LogRecord[]): void {
    this.#disks.get(server)?.queue.push(...records);
  }

  durable(server: ServerId, upTo: number): void {
    const disk = this.#disks.get(server);
    if (disk === undefined) return;
    for (const record of disk.queue.splice(0, upTo - disk.durableInLife)) hold(disk, record);
    disk.durableInLife = upTo;
  }

  /** Demands that a quorum has this transaction on disk. */
  demandQuorum(zxid: Zxid, why: string): void {
    const holders = this.#servers.filter((server) => this.#holds(server, zxid));
    if (holders.length >= majority(this.#servers.length)) return;
    const names = holders.map((server) => `p${server}`).join(", ");
    throw new Violation(`${why} ${printZxid(zxid)}, which only ${names || "nobody"} had on disk`);
  }

  #holds(server: ServerId, zxid: Zxid): boolean {
    const disk = this.#disks.get(server);
    return disk !== undefined && (zxid <= disk.base || includes(disk.zxids, zxid));
  }
}

function hold(disk: Disk, record: LogRecord): void {
  switch (record.kind) {
    case "transaction":
      disk.zxids.push(record.transaction.zxid);
      break;
    case "truncate":
      while ((disk.zxids.at(-1) ?? ZERO) > record.to) disk.zxids.pop();
      break;
    case "snapshot":
      if (!record.last) break;
      disk.base = record.zxid;
      disk.zxids = record.replaces === "all" ? [] : disk.zxids.filter((zxid) => zxid > record.zxid);
      break;
    case "promise":
    case "epoch":
    case "founder":
      break;
  }
}

function includes(ascending: readonly Zxid[], zxid: Zxid): boolean {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? ZERO) < zxid) low = middle + 1;
    else high = middle;
  }
  return ascending[low] === zxid;
}
