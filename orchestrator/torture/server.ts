/** One server to be tortured, whose disk and clocks can be made to go wrong: `server.ts zoo.cfg [mutant]`. */

import module from "node:module";
import { dirname } from "node:path";
import { bendClocks } from "./faulty-clock.ts";
import { faultyDisk } from "./faulty-disk.ts";
import { startOddServer } from "./odd-server.ts";
import { takeOrders } from "./orders.ts";

/** What was compiled is kept by then for the next life: this one will hardly end in order. */
const KEEP_AFTER_MS = 1000;

const [file = "", mutant = ""] = process.argv.slice(2);
const orders = takeOrders(dirname(file));
bendClocks(orders);
await startOddServer({
  file,
  environment: process.env,
  mutant,
  disk: (disk) => faultyDisk(disk, () => orders().disk),
});
setTimeout(() => module.flushCompileCache(), KEEP_AFTER_MS).unref();
