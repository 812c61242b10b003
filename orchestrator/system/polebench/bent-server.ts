/**
 * One server of a trial whose disk and clocks can be made to go wrong: `bent-server.ts HOME ARGUMENT...`.
 * It is the service that people start, on a real disk between which and it stands what HOME's orders say.
 */

import module from "node:module";
import { bendClocks } from "../../fault/bent-clocks.ts";
import { bentDisk } from "../../fault/bent-disk.ts";
import { takeOrders } from "../../fault/orders.ts";
import { Random } from "#node/core/random.ts";
import { startOddServer } from "./odd-server.ts";

module.enableCompileCache();
/** What was compiled is kept by then for the next life: this one may not end in order. */
const KEEP_AFTER_MS = 1000;

const [home = "", ...words] = process.argv.slice(2);
const orders = takeOrders(home);
bendClocks(orders);
await startOddServer({
  arguments: words,
  environment: process.env,
  mutant: "",
  disk: (disk) => bentDisk(disk, () => orders().disk, new Random(process.pid)),
});
setTimeout(() => module.flushCompileCache(), KEEP_AFTER_MS).unref();
