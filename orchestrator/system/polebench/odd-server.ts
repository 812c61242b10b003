/**
 * The service as it is, but for what is wrong with it on purpose: it may be a mutant, and its disk is
 * whatever it is given. The program that people start can be neither.
 */

import { readFileSync } from "node:fs";
import { pino } from "pino";
import { readConfig } from "#node/config/config.ts";
import { type Mutant, MUTANTS, RARE_MUTANTS } from "#node/core/mutant.ts";
import type { Disk, Durability } from "#node/host/tcp/store/disk.ts";
import { startService } from "#node/service.ts";
import { EXIT } from "#node/core/exit-code.ts";

export interface Odd {
  /** As `node/main.ts` takes them: its `zoo.cfg`, or flags. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The name of one, or nothing; another name is refused. */
  readonly mutant: string;
  readonly disk: (disk: Disk, durability: Durability) => Disk;
}

/** The machine's own monotonic clock, whatever this process is made to believe. */
const monotonic = (): number => Number(process.hrtime.bigint() / 1000n);

export async function startOddServer(odd: Odd): Promise<void> {
  const { environment, mutant, disk } = odd;
  const reading = readConfig({
    arguments: odd.arguments,
    environment,
    readFile: (path) => readFileSync(path, "utf8"),
  });
  if (reading.kind !== "config") throw new Error(`${odd.arguments.join(" ")}: ${JSON.stringify(reading)}`);
  const { config } = reading;
  const log = pino({
    level: config.logLevel,
    base: { server: config.id },
    mixin: () => ({ at: monotonic() }),
  });
  const fail = (reason: string): never => {
    log.fatal({ event: "failed" }, reason);
    process.exit(EXIT.cannotRun);
  };
  await startService(config, log, fail, {
    mutant: mutantNamed(mutant),
    disk: (whole) => disk(whole, config.durability),
  });
}

/** A mistake that was asked for and not made would let every check pass. */
function mutantNamed(name: string): Mutant | null {
  if (name === "") return null;
  if (Object.hasOwn(MUTANTS, name) || Object.hasOwn(RARE_MUTANTS, name)) return name as Mutant;
  throw new Error(`no mutant is called ${name}`);
}
