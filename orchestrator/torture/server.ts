/**
 * One server to be tortured: `server.ts zoo.cfg [mutant]`. It is the service as it is, but that its disk can
 * be made to fail, and that it may be a mutant; the program that people start can do neither.
 */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pino } from "pino";
import { readConfig } from "#node/config.ts";
import { type Mutant, MUTANTS } from "#node/core/mutant.ts";
import { startService } from "#node/service.ts";
import { faultyDisk } from "./faulty-disk.ts";
import { ORDERS } from "./orders.ts";

const [file = "", mutant = ""] = process.argv.slice(2);
const reading = readConfig({
  arguments: [file],
  environment: {},
  readFile: (path) => readFileSync(path, "utf8"),
});
if (reading.kind !== "config") throw new Error(`${file}: ${JSON.stringify(reading)}`);
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
    disk: (disk) => faultyDisk(disk, join(dirname(file), ORDERS)),
  },
);
