/**
 * One server to be tortured: `server.ts zoo.cfg [mutant]`. It is the service as it is, but that its disk and
 * its clocks can be made to go wrong, and that it may be a mutant; the program that people start can do
 * neither.
 */

import { readFileSync } from "node:fs";
import module from "node:module";
import { dirname } from "node:path";
import { pino } from "pino";
import { readConfig } from "#node/config.ts";
import { type Mutant, MUTANTS } from "#node/core/mutant.ts";
import { startService } from "#node/service.ts";
import { bendClocks } from "./faulty-clock.ts";
import { faultyDisk } from "./faulty-disk.ts";
import { takeOrders } from "./orders.ts";

/** What was compiled is kept by then for the next life: this one will hardly end in order. */
const KEEP_AFTER_MS = 1000;

const [file = "", mutant = ""] = process.argv.slice(2);
const reading = readConfig({
  arguments: [file],
  environment: process.env,
  readFile: (path) => readFileSync(path, "utf8"),
});
if (reading.kind !== "config") throw new Error(`${file}: ${JSON.stringify(reading)}`);
const orders = takeOrders(dirname(file));
bendClocks(orders);
const log = pino({ level: "info", base: { server: reading.config.id } });
await startService(
  reading.config,
  log,
  (reason) => {
    log.fatal({ event: "failed" }, reason);
    process.exit(3);
  },
  {
    mutant: Object.hasOwn(MUTANTS, mutant) ? (mutant as Mutant) : null,
    disk: (disk) => faultyDisk(disk, () => orders().disk),
  },
);
setTimeout(() => module.flushCompileCache(), KEEP_AFTER_MS).unref();
