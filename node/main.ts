/**
 * Runs one server: `main.ts zoo.cfg`, or with flags; `--help` lists them.
 *
 * What was compiled once is kept for the next start, for reading and stripping the sources is most of the
 * time until a server is there.
 */

import { readFileSync } from "node:fs";
import module from "node:module";

module.enableCompileCache();
const { help, readConfig } = await import("./config.ts");
const { OracleModuleError } = await import("./host/oracle-module.ts");
const { startService } = await import("./service.ts");
const { pino } = await import("pino");

const EXIT = { asked: 0, cannotRun: 3, usage: 64 } as const;
/** Whatever is still under way then: SIGTERM means within a second. */
const LAST_MS = 800;
/**
 * Microseconds of the machine's monotonic clock, the same for all its processes: their lines can be merged.
 */
const monotonic = (): number => Number(process.hrtime.bigint() / 1000n);

const reading = readConfig({
  arguments: process.argv.slice(2),
  environment: process.env,
  readFile: (path) => readFileSync(path, "utf8"),
});
if (reading.kind === "help") {
  process.stdout.write(help());
} else if (reading.kind === "wrong") {
  for (const problem of reading.problems) process.stderr.write(`${problem}\n`);
  process.exitCode = EXIT.usage;
} else {
  const { config, warnings } = reading;
  const log = pino({
    level: config.logLevel,
    base: { server: config.id },
    mixin: () => ({ at: monotonic() }),
  });
  for (const warning of warnings) log.warn({ event: "configuration" }, warning);
  const fail = (reason: string): never => {
    log.fatal({ event: "failed" }, reason);
    process.exit(EXIT.cannotRun);
  };
  try {
    const service = await startService(config, log, fail);
    const end = (): void => {
      log.info({ event: "ending" }, "was asked to end");
      setTimeout(() => process.exit(EXIT.asked), LAST_MS).unref();
      service.stop().then(
        () => process.exit(EXIT.asked),
        (error: unknown) => fail(String(error)),
      );
    };
    process.once("SIGTERM", end);
    process.once("SIGINT", end);
  } catch (error) {
    if (!(error instanceof OracleModuleError)) fail(error instanceof Error ? error.message : String(error));
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = EXIT.usage;
  }
}
