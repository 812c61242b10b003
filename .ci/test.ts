// The one runner behind `make test`: check, unit, sim, system, one after the other, then one sum.
// A part ends with the line "N passed, N failed"; one without counts as a single test.
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve as resolvePath } from "node:path";
import { run } from "node:test";

type Count = { passed: number; failed: number };

const { PART: part = "", FILTER: filter = "", UPDATE: update = "" } = process.env;
const swarm = "node/host/virtual/main.ts";
const failures: string[] = [];

function files(pattern: string): string[] {
  return globSync([`node/${pattern}`, `orchestrator/${pattern}`, `.ci/${pattern}`])
    .filter((file) => !file.includes("node_modules") && file.includes(filter))
    .toSorted();
}

function describe(name: string, file: string | undefined, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return `${file?.replace(`${process.cwd()}/`, "") ?? "?"}: ${name}\n${text.replaceAll(/^/gm, "    ")}`;
}

async function nodeTests(paths: string[], concurrency: number): Promise<Count> {
  const count = { passed: 0, failed: 0 };
  if (paths.length === 0) return count;
  const stream = run({
    files: paths,
    concurrency,
    timeout: 600_000,
    execArgv: update === "" ? [] : ["--test-update-snapshots"],
  });
  const heard = new Set<string | undefined>();
  stream.on("test:fail", ({ name, file, details }) => {
    heard.add(file);
    // A parent fails only because a child did; the child says why.
    const subtests = "failureType" in details.error && details.error.failureType === "subtestsFailed";
    if (!subtests) failures.push(describe(name, file, details.error));
  });
  stream.on("test:stderr", ({ message }) => process.stderr.write(message));
  stream.on("test:stdout", ({ message }) => process.stdout.write(message));
  stream.on("test:summary", ({ file, counts, duration_ms: ms, success }) => {
    if (file === undefined) {
      count.passed = counts.passed;
      count.failed = counts.tests - counts.passed - counts.skipped - counts.todo;
      if (!success && count.failed === 0) count.failed = 1;
      return;
    }
    heard.add(file);
    const name = file.replace(`${process.cwd()}/`, "");
    console.log(`${success ? "ok  " : "FAIL"} ${name} (${counts.tests} tests, ${(ms / 1000).toFixed(1)} s)`);
  });
  stream.resume();
  await new Promise((resolve) => stream.once("close", resolve));
  // node:test passes a file that holds no test, or that leaves before its first one.
  for (const path of paths.filter((file) => !heard.has(resolvePath(file)))) {
    failures.push(`${path}: ran no test`);
    count.passed -= 1;
    count.failed += 1;
  }
  return count;
}

async function program(name: string, args: string[]): Promise<Count> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    output += chunk;
    process.stdout.write(chunk.replace(/^\d+ passed, \d+ failed\n/m, ""));
  });
  const code = await new Promise<number>((resolve) => {
    child.once("close", (exit) => resolve(exit ?? 1));
  });
  const said = /^(\d+) passed, (\d+) failed\s*$/m.exec(output.slice(output.trimEnd().lastIndexOf("\n") + 1));
  const count = said
    ? { passed: Number(said[1]), failed: Number(said[2]) }
    : { passed: code === 0 ? 1 : 0, failed: 0 };
  if (code !== 0) {
    count.failed = Math.max(count.failed, 1);
    const tail = output.trimEnd().split("\n").slice(-40).join("\n");
    failures.push(`${name}: exit code ${code}\n${tail.replaceAll(/^/gm, "    ")}`);
  }
  return count;
}

const parts: Record<string, () => Promise<Count>> = {
  check: () => program("check", [".ci/check.ts"]),
  unit: () =>
    nodeTests(
      files("**/*.test.ts").filter((file) => !file.endsWith(".system.test.ts")),
      availableParallelism(),
    ),
  sim: () => program("sim", [swarm, "sim", "--seeds", "500"]),
  system: () => nodeTests(files("**/*.system.test.ts"), 1),
};

if (part !== "" && !(part in parts)) {
  console.error(`PART=${part} is none of ${Object.keys(parts).join(", ")}`);
  process.exit(64);
}
// A filter picks test files, so it leaves out what has none.
const testFiles = ["unit", "system"];
const total: Count = { passed: 0, failed: 0 };
for (const [name, start] of Object.entries(parts)) {
  if (part !== "" ? part !== name : filter !== "" && !testFiles.includes(name)) continue;
  console.log(`-- ${name}`);
  const { passed, failed } = await start();
  total.passed += passed;
  total.failed += failed;
}
if (failures.length > 0) console.log(`\n${failures.map((failure) => `FAIL ${failure}`).join("\n\n")}\n`);
if (total.passed + total.failed === 0) console.error("nothing ran");
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
