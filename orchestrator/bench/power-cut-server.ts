/**
 * One server on a disk that forgets, when the process is killed, whatever it had not confirmed:
 * `power-cut-server.ts zoo.cfg [mutant]`.
 */

import { readFileSync } from "node:fs";
import module from "node:module";
import { pino } from "pino";
import { readConfig } from "#node/config.ts";
import { type Mutant, MUTANTS } from "#node/core/mutant.ts";
import { volatileDisk } from "#node/host/tcp/store/volatile-disk.ts";
import { startService } from "#node/service.ts";

const [file = "", mutant = ""] = process.argv.slice(2);
const reading = readConfig({
  arguments: [file],
  environment: {},
  readFile: (path) => readFileSync(path, "utf8"),
});
if (reading.kind !== "config") throw new Error(`${file}: ${JSON.stringify(reading)}`);
const { config } = reading;
const log = pino({ level: "info", base: { server: config.id } });
await startService(
  config,
  log,
  (reason) => {
    log.fatal({ event: "failed" }, reason);
    process.exit(3);
  },
  {
    mutant: Object.hasOwn(MUTANTS, mutant) ? (mutant as Mutant) : null,
    disk: (disk) => volatileDisk(disk, config.durability),
  },
);
// What was compiled is kept for the next life: this one will not end in order.
module.flushCompileCache();
