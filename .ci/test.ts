// The one runner behind `make test`: check, unit, sim and system, as much of it at once as the machine
// carries, then one sum. A program ends with the line "N passed, N failed"; one without counts as a test.
import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { Fixtures } from "./fixtures.ts";
import { needOf } from "./lane.ts";
import { type Limits, type Outcome, testFile } from "./node-tests.ts";
import { endChildren } from "./overdue.ts";
import { brokenPromises } from "./promises.ts";
import { type Job, runAll } from "./queue.ts";

const { PART: part = "", FILTER: filter = "", UPDATE: update = "", CI: ci = "" } = process.env;
const swarm = "node/host/virtual/main.ts";
const servers = "node/testing/worlds/main.ts";
const minute = 60_000;
const programMs = 20 * minute;
const limits: Limits = { testMs: 10 * minute, fileMs: 11 * minute, graceMs: 10_000 };
// Some four hundred processes load the same sources: what the first made of them, the others find.
process.env["NODE_COMPILE_CACHE"] ??= resolve("node_modules/.cache/compiled");
const execArgv = update === "" ? [] : ["--test-update-snapshots"];

function testFiles(isMeant: (file: string) => boolean): Job<Outcome>[] {
  const pattern = "**/*.test.ts";
  return globSync([`node/${pattern}`, `orchestrator/${pattern}`, `.ci/${pattern}`])
    .filter((file) => !file.includes("node_modules") && file.includes(filter) && isMeant(file))
    .map((file) => ({
      ...needOf(file, readFileSync(file, "utf8")),
      run: () => testFile(file, limits, execArgv),
    }));
}

async function program(name: string, args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], timeout: programMs });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const end = await new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  const lines = output.trimEnd().split("\n");
  const said = /^(\d+) passed, (\d+) failed\s*$/.exec(lines.at(-1) ?? "");
  console.log((said === null ? lines : lines.slice(0, -1)).join("\n"));
  const [passed, failed] = said === null ? [end === 0 ? 1 : 0, 0] : [Number(said[1]), Number(said[2])];
  if (end === 0) return { passed, failed, failures: [], skipped: [] };
  const tail = lines.slice(-40).join("\n").replaceAll(/^/gm, "    ");
  return {
    passed,
    failed: Math.max(failed, 1),
    failures: [`${name}: ended with ${end}\n${tail}`],
    skipped: [],
  };
}

const isSystem = (file: string): boolean => file.endsWith(".system.test.ts");
const parts: Record<string, () => Job<Outcome>[]> = {
  check: () => [{ lane: "works", seconds: 600, run: () => program("check", [".ci/check.ts"]) }],
  unit: () => testFiles((file) => !isSystem(file)),
  sim: () => [
    { lane: "works", seconds: 300, run: () => program("sim", [swarm, "sim", "--seeds", "500"]) },
    { lane: "works", seconds: 60, run: () => program("sim of servers", [servers, "sim", "--seeds", "500"]) },
  ],
  system: () => testFiles(isSystem),
};

if (part !== "" && !(part in parts)) {
  console.error(`PART=${part} is none of ${Object.keys(parts).join(", ")}`);
  process.exit(64);
}
// A filter picks test files, so it leaves out what has none.
const ofTestFiles = ["unit", "system"];
const isAsked = (name: string): boolean =>
  part === "" ? filter === "" || ofTestFiles.includes(name) : part === name;
const jobs = Object.entries(parts).flatMap(([name, jobsOf]) => (isAsked(name) ? jobsOf() : []));
const fixtures = new Fixtures(jobs);
const interruption = new AbortController();
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => {
    interruption.abort();
    void endChildren(process.pid, limits.graceMs)
      .then(() => fixtures[Symbol.asyncDispose]())
      .then(() => process.exit(code));
  });
}
const outcomes = await runAll(
  jobs.map((job) => ({ ...job, run: () => fixtures.with(job, job.run) })),
  availableParallelism(),
  interruption.signal,
);

const sum = (of: "passed" | "failed"): number => outcomes.reduce((total, outcome) => total + outcome[of], 0);
const skipped = outcomes.flatMap((outcome) => outcome.skipped);
const broken = ci === "true" ? brokenPromises(skipped) : [];
const failures = [...outcomes.flatMap((outcome) => outcome.failures), ...broken];
if (failures.length > 0) console.log(`\n${failures.map((failure) => `FAIL ${failure}`).join("\n\n")}\n`);
for (const each of skipped) console.log(`skip ${each}`);
const [passed, failed] = [sum("passed"), sum("failed") + broken.length];
if (passed + failed === 0) console.error("nothing ran");
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
