// The one runner behind `make test`: check, unit, sim, system, one after the other, then one sum.
// A part ends with the line "N passed, N failed"; one without counts as a single test.
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type Limits, nodeTests } from "./node-tests.ts";

type Count = { passed: number; failed: number };

const { PART: part = "", FILTER: filter = "", UPDATE: update = "" } = process.env;
const swarm = "node/host/virtual/main.ts";
const failures: string[] = [];
const minute = 60_000;
const programMs = 20 * minute;
const limits: Omit<Limits, "concurrency"> = { testMs: 10 * minute, fileMs: 11 * minute, graceMs: 10_000 };

function files(pattern: string): string[] {
  return globSync([`node/${pattern}`, `orchestrator/${pattern}`, `.ci/${pattern}`])
    .filter((file) => !file.includes("node_modules") && file.includes(filter))
    .toSorted();
}

async function program(name: string, args: string[]): Promise<Count> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], timeout: programMs });
  let output = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    output += chunk;
    process.stdout.write(chunk.replace(/^\d+ passed, \d+ failed\n/m, ""));
  });
  const end = await new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  const said = /^(\d+) passed, (\d+) failed\s*$/m.exec(output.slice(output.trimEnd().lastIndexOf("\n") + 1));
  const count = said
    ? { passed: Number(said[1]), failed: Number(said[2]) }
    : { passed: end === 0 ? 1 : 0, failed: 0 };
  if (end !== 0) {
    count.failed = Math.max(count.failed, 1);
    const tail = output.trimEnd().split("\n").slice(-40).join("\n");
    failures.push(`${name}: ended with ${end}\n${tail.replaceAll(/^/gm, "    ")}`);
  }
  return count;
}

async function testFiles(paths: string[], concurrency: number): Promise<Count> {
  const execArgv = update === "" ? [] : ["--test-update-snapshots"];
  const outcome = await nodeTests(paths, { ...limits, concurrency }, execArgv);
  failures.push(...outcome.failures);
  return outcome;
}

const parts: Record<string, () => Promise<Count>> = {
  check: () => program("check", [".ci/check.ts"]),
  unit: () =>
    testFiles(
      files("**/*.test.ts").filter((file) => !file.endsWith(".system.test.ts")),
      availableParallelism(),
    ),
  sim: () => program("sim", [swarm, "sim", "--seeds", "500"]),
  system: () => testFiles(files("**/*.system.test.ts"), 1),
};

if (part !== "" && !(part in parts)) {
  console.error(`PART=${part} is none of ${Object.keys(parts).join(", ")}`);
  process.exit(64);
}
// A filter picks test files, so it leaves out what has none.
const ofTestFiles = ["unit", "system"];
const total: Count = { passed: 0, failed: 0 };
for (const [name, start] of Object.entries(parts)) {
  if (part !== "" ? part !== name : filter !== "" && !ofTestFiles.includes(name)) continue;
  console.log(`-- ${name}`);
  const { passed, failed } = await start();
  total.passed += passed;
  total.failed += failed;
}
if (failures.length > 0) console.log(`\n${failures.map((failure) => `FAIL ${failure}`).join("\n\n")}\n`);
if (total.passed + total.failed === 0) console.error("nothing ran");
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
