/**
 * What is wrong with a server's disk and clocks just now, said in a file of its folder, so that it can be
 * said to a server that runs and to one that is yet to start.
 */

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiskBend } from "./abilities.ts";

export interface Orders {
  readonly disk: DiskBend | null;
  /** By how much the wall clock is wrong. */
  readonly wallMs: number;
  /** By how much the monotonic clock has leapt in all. It never goes back, so this only grows. */
  readonly leaptMs: number;
}

export const NO_ORDERS: Orders = { disk: null, wallMs: 0, leaptMs: 0 };

const FILE = "orders.json";
/** A server looks so often whether there are others. */
const LOOK_MS = 10;

export function giveOrders(home: string, orders: Orders): void {
  const unfinished = join(home, `${FILE}.new`);
  writeFileSync(unfinished, JSON.stringify(orders));
  renameSync(unfinished, join(home, FILE));
}

/** At the server: what holds at the moment of asking. */
export function takeOrders(home: string): () => Orders {
  let orders = NO_ORDERS;
  const look = (): void => {
    // Nobody has said anything yet; or who has no folder any more is about to go itself.
    if (!existsSync(join(home, FILE))) return;
    orders = JSON.parse(readFileSync(join(home, FILE), "utf8")) as Orders;
  };
  look();
  setInterval(look, LOOK_MS).unref();
  return () => orders;
}
