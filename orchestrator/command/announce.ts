/** `polebench announce`: announce-listen elections beside their theory, claim by claim. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { CLAIMS } from "../experiments/announce/catalog.ts";
import type { Claim } from "../experiments/announce/claim.ts";
import { Lab } from "../experiments/announce/lab.ts";
import { LiveMembers } from "../experiments/announce/live-lab.ts";
import { commitAsLoaded, environmentOf } from "../recording/environment.ts";
import { provenanceOf } from "../recording/provenance.ts";
import { sourcesAsLoaded } from "../recording/sources.ts";
import { type ClaimTested, writeAnnounceReport } from "../report/announce-report.ts";
import { Interrupted, interruption } from "../terminal/interrupted.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { commandLine } from "./command-line.ts";
import { Progress } from "./progress.ts";

interface AnnounceFlags {
  readonly figure: string;
  readonly runtime?: string;
  readonly quick?: boolean;
  readonly out: string;
  readonly quiet?: boolean;
}

export function addAnnounce(program: Command): void {
  program
    .command("announce")
    .description("puts every figure and claim on announce-listen elections to the test, beside its formula")
    .option("--figure <name>", `all, text, ${CLAIMS.map(({ name }) => name).join(", ")}`, "all")
    .option("--runtime <name>", "sim; netns or docker: figures over N get points of real members too", "sim")
    .option("--quick", "fewer sizes and fewer runs")
    .option("--out <folder>", "where reports go", "reports")
    .option("--quiet", "no progress")
    .action(async (flags: AnnounceFlags) => {
      process.exitCode = await announce(flags);
    });
}

async function announce(flags: AnnounceFlags): Promise<number> {
  const claims = chosen(flags.figure || "all");
  const quick = flags.quick === true;
  const runtime = runtimeOf(flags.runtime);
  const folder = join(flags.out, "announce", quick ? `${runtime}-quick` : runtime);
  mkdirSync(folder, { recursive: true });
  const progress = new Progress(
    claims.map(() => 1),
    flags.quiet === true,
  );
  using stop = interruption();
  let under = "";
  const options = {
    quick,
    command: commandLine(),
    signal: stop.signal,
    progress: (what: string) => progress.begin(`${under}: ${what}`),
  };
  const lab = new Lab({ ...options, live: runtime === "sim" ? null : new LiveMembers(options, runtime) });
  const tested: ClaimTested[] = [];
  for (const claim of claims) {
    under = claim.name;
    const { test, ...said } = claim;
    const outcome = await test(lab).catch((error: unknown) => {
      if (error instanceof Interrupted) return null;
      throw error;
    });
    if (outcome === null) break;
    tested.push({ ...said, ...outcome });
    progress.finish(claim.name);
    for (const { what, holds } of outcome.checks)
      console.log(`${holds ? "holds " : "DIFFERS"} ${claim.name}: ${what}`);
  }
  progress.end();
  const engine = runtime === "sim" ? "virtual time, T_A = 1 s" : "virtual time, and the packet plane";
  const environment = environmentOf(engine, commandLine(), sourcesAsLoaded(null), commitAsLoaded());
  const where = `virtual time${runtime === "sim" ? "" : `, and real members in ${MACHINES[runtime]}`}`;
  const conditions = `${where}${quick ? ", fewer sizes and runs" : ""}`;
  await writeAnnounceReport(folder, conditions, provenanceOf(commandLine(), [{ ...environment }]), tested);
  console.log(`  ${join(folder, "report.html")}`);
  if (stop.signal.aborted) return EXIT.interrupted;
  const holds = tested.every(({ checks }) => checks.every((check) => check.holds));
  return holds ? EXIT.passed : EXIT.failed;
}

/** Netem carries no multicast between machines, so live it is always the packet plane. */
function runtimeOf(given: string | undefined): "sim" | keyof typeof MACHINES {
  if (given === undefined || given === "" || given === "sim") return "sim";
  if (given === "netns" || given === "docker") return given;
  throw new RefusedInput(`--runtime: members run in sim, netns or docker, not in "${given}"`);
}

const MACHINES = { netns: "namespaces", docker: "containers" } as const;

function chosen(name: string): readonly Claim[] {
  if (name === "all") return CLAIMS;
  const found =
    name === "text"
      ? CLAIMS.filter((claim) => claim.name.startsWith("text-"))
      : CLAIMS.filter((claim) => claim.name === name);
  const valid = ["all", "text", ...CLAIMS.map((claim) => claim.name)];
  if (found.length === 0) throw new RefusedInput(`--figure: there is no "${name}"${suggestion(name, valid)}`);
  return found;
}
