/**
 * How much may be below a path. The client's tool writes the limits to
 * `/zookeeper/quota<path>/zookeeper_limits` and asks for counting by creating `zookeeper_stats` beside it;
 * from then on every change below the path keeps the count, in the data of that znode, without touching its
 * versions or times. As in ZooKeeper 3.8 a limit is soft (it only counts) or hard, and hard ones hold only
 * where quotas are enforced.
 *
 *   limits => count=N,bytes=N=;byteHardLimit=N;countHardLimit=N      stats => count=N,bytes=N
 *
 * -1 is no limit.
 */

import { utf8Bytes, utf8Text } from "../core/utf8.ts";
import type { Undo } from "./undo.ts";
import { NO_ROW, type Nodes } from "./nodes.ts";
import { nameOf, parentOf, QUOTA, ROOT } from "./path.ts";
import type { Total } from "./totals.ts";

export class Quotas {
  readonly #nodes: Nodes;
  readonly #undo: Undo;
  /** Paths with limits. */
  readonly #limited = new Set<string>();

  constructor(nodes: Nodes, undo: Undo) {
    this.#nodes = nodes;
    this.#undo = undo;
  }

  /** Would so many znodes and bytes more be beyond a hard limit? */
  exceeded(path: string, count: number, bytes: number): boolean {
    const prefix = this.#prefixOf(path);
    if (prefix === null) return false;
    const [limits, stats] = [this.#read(prefix, LIMITS), this.#read(prefix, STATS)];
    if (limits === null || stats === null) return false;
    const beyond = (change: number, used: string, limit: string): boolean => {
      const most = limits.get(limit) ?? -1;
      return change !== 0 && most > -1 && (stats.get(used) ?? -1) + change > most;
    };
    return beyond(count, "count", "countHardLimit") || beyond(bytes, "bytes", "byteHardLimit");
  }

  created(path: string, bytes: number): void {
    if (path.startsWith(`${QUOTA}/`)) {
      const limited = parentOf(path).slice(QUOTA.length);
      if (limited !== "" && nameOf(path) === LIMITS) this.#limit(limited, true);
      if (limited !== "" && nameOf(path) === STATS) this.#recount(limited);
    }
    this.count(path, 1, bytes);
  }

  removed(path: string, bytes: number): void {
    if (path.startsWith(`${QUOTA}/`) && nameOf(path) === LIMITS) {
      this.#limit(parentOf(path).slice(QUOTA.length), false);
    }
    this.count(path, -1, -bytes);
  }

  /** So many znodes and bytes more. */
  count(path: string, count: number, bytes: number): void {
    const prefix = this.#prefixOf(path);
    const stats = prefix === null ? null : this.#read(prefix, STATS);
    if (prefix === null || stats === null) return;
    this.#write(prefix, (stats.get("count") ?? -1) + count, (stats.get("bytes") ?? -1) + bytes);
  }

  /** After a restore: which paths have limits. */
  find(): void {
    for (const row of this.#nodes.subtree(this.#nodes.find(QUOTA))) {
      const path = this.#nodes.path(row);
      const limited = parentOf(path).slice(QUOTA.length);
      if (limited !== "" && nameOf(path) === LIMITS) this.#limited.add(limited);
    }
  }

  /** The longest path with limits that is this path or above it. */
  #prefixOf(path: string): string | null {
    if (this.#limited.size === 0) return null;
    for (let prefix = path; prefix !== ROOT; prefix = parentOf(prefix)) {
      if (this.#limited.has(prefix)) return prefix;
    }
    return null;
  }

  #limit(path: string, limited: boolean): void {
    if (this.#limited.has(path) === limited) return;
    const change = (to: boolean): void => {
      if (to) this.#limited.add(path);
      else this.#limited.delete(path);
    };
    change(limited);
    this.#undo.note(() => change(!limited));
  }

  #recount(path: string): void {
    const row = this.#nodes.find(path);
    const { znodes, bytes } = row === NO_ROW ? NOWHERE : this.#nodes.total(row);
    this.#write(path, znodes, bytes);
  }

  #read(path: string, name: string): Map<string, number> | null {
    const row = this.#nodes.find(`${QUOTA}${path}/${name}`);
    if (row === NO_ROW) return null;
    const numbers = new Map<string, number>();
    for (const pair of utf8Text(this.#nodes.data(row) ?? NOTHING).split(/[,;]+/)) {
      const [key = "", value = ""] = pair.split("=");
      numbers.set(key, /^-?\d+$/.test(value) ? Number(value) : -1);
    }
    return numbers;
  }

  #write(path: string, count: number, bytes: number): void {
    const row = this.#nodes.find(`${QUOTA}${path}/${STATS}`);
    if (row !== NO_ROW) this.#nodes.setData(row, utf8Bytes(`count=${count},bytes=${bytes}`));
  }
}

const LIMITS = "zookeeper_limits";
const STATS = "zookeeper_stats";
const NOTHING = new Uint8Array(0);
const NOWHERE: Total = { znodes: 0, bytes: 0 };
