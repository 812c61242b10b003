/**
 * One server on a disk that forgets, when the process is killed, whatever it had not confirmed:
 * `power-cut-server.ts HOME [mutant]`.
 */

import module from "node:module";
import { join } from "node:path";
import { volatileDisk } from "#node/testing/store/volatile-disk.ts";
import { ZOO_CFG } from "../system/zookeeper/configuration.ts";
import { startOddServer } from "../system/polebench/odd-server.ts";

/** Long beside the way through three servers, so that what is said too early is surely not there yet. */
const PLATTER_MS = 50;

const [home = "", mutant = ""] = process.argv.slice(2);
await startOddServer({
  arguments: [join(home, ZOO_CFG)],
  environment: {},
  mutant,
  disk: (disk, durability) => volatileDisk(disk, durability, PLATTER_MS),
});
// What was compiled is kept for the next life: this one will not end in order.
module.flushCompileCache();
