/**
 * One server to be tortured, whose disk and clocks can be made to go wrong: `server.ts HOME [mutant]`.
 * When it is killed, its machine is: what the disk had not confirmed goes with it.
 */

import module from "node:module";
import { join } from "node:path";
import { Random } from "#node/core/random.ts";
import { volatileDisk } from "#node/testing/store/volatile-disk.ts";
import { ZOO_CFG } from "../system/zookeeper/configuration.ts";
import { bendClocks } from "../fault/bent-clocks.ts";
import { bentDisk } from "../fault/bent-disk.ts";
import { takeOrders } from "../fault/orders.ts";
import { startOddServer } from "../system/polebench/odd-server.ts";

/** What was compiled is kept by then for the next life: this one will hardly end in order. */
const KEEP_AFTER_MS = 1000;

/** As fast solid-state disks are: what is under way when the server dies is lost. */
const PLATTER_MS = 1;

const [home = "", mutant = ""] = process.argv.slice(2);
const orders = takeOrders(home);
bendClocks(orders);
await startOddServer({
  arguments: [join(home, ZOO_CFG)],
  environment: process.env,
  mutant,
  disk: (disk, durability) =>
    bentDisk(volatileDisk(disk, durability, PLATTER_MS), () => orders().disk, new Random(process.pid)),
});
setTimeout(() => module.flushCompileCache(), KEEP_AFTER_MS).unref();
