/**
 * Runs one server: `main.ts zoo.cfg`, or with flags; `--help` lists them.
 *
 * What was compiled once is kept for the next start, for reading and stripping the sources is most of the
 * time until a server is there.
 */

import { readFileSync } from "node:fs";
import module from "node:module";
import { EXIT } from "./core/exit-code.ts";
import { becomeThrifty } from "./host/thrift.ts";

/**
 * Memory: what is new dies young here, so a few megabytes suffice for it; and glibc keeps apart what each of
 * the pool's threads once freed, so there are two of its arenas.
 *
 * And what is large, an answer of a megabyte, has pages of its own, which go back to the system with it: of
 * itself glibc would soon take it from the heap, where it leaves holes.
 *
 * Pauses: the heap may grow to two and a half times what is alive in it before it is collected, by one
 * helper, and never for the sake of being small: whole collections by four threads take all processors from
 * the other servers of a machine.
 */
becomeThrifty(
  ["--max-semi-space-size=8", "--no-memory-reducer", "--heap-growing-percent=150", "--v8-pool-size=1"],
  { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072" },
);
const { help, readConfig } = await import("./config/config.ts");
const { OracleModuleError } = await import("./host/oracle-module.ts");
const { careless } = await import("./config/secrets.ts");
const { startService } = await import("./service.ts");
const { pino } = await import("pino");

/** Whatever is still under way then: SIGTERM means within a second. */
const LAST_MS = 800;
/** A first leader is found by then, and need not wait. */
const KEEP_AFTER_MS = 1000;
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
  for (const warning of [...warnings, ...careless(config)]) log.warn({ event: "configuration" }, warning);
  const fail = (reason: string): never => {
    log.fatal({ event: "failed" }, reason);
    process.exit(EXIT.cannotRun);
  };
  try {
    const service = await startService(config, log, fail);
    // Otherwise kept only at an orderly end; a server that is always killed would start in twice the time.
    setTimeout(() => module.flushCompileCache(), KEEP_AFTER_MS).unref();
    const end = (): void => {
      log.info({ event: "ending" }, "was asked to end");
      setTimeout(() => process.exit(EXIT.passed), LAST_MS).unref();
      service.stop().then(
        () => process.exit(EXIT.passed),
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
