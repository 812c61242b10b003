import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { text } from "node:stream/consumers";
import type { Outcome } from "./node-tests.ts";
import { processAt } from "./overdue.ts";

const TESTS = new URL("node-tests.ts", import.meta.url).href;

/** Files run in this order by a process of their own, as node:test does not run itself. */
async function ran(t: TestContext, sources: readonly string[]): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "polebench-node-tests-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const paths = sources.map((source, index) => {
    const path = `${index}.test.mjs`;
    writeFileSync(join(folder, path), `import test from "node:test";\n${source}`);
    return path;
  });
  const limits = { concurrency: 1, testMs: 500, fileMs: 2500, graceMs: 500 };
  const program = `
    import { writeSync } from "node:fs";
    import { nodeTests } from ${JSON.stringify(TESTS)};
    console.log = () => {};
    const outcome = await nodeTests(${JSON.stringify(paths)}, ${JSON.stringify(limits)});
    writeSync(1, "\\n" + JSON.stringify(outcome));`;
  // A file, as what is given by -e would be given to each test's process, too.
  const main = join(folder, "main.mjs");
  writeFileSync(main, program);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [main], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = await text(child.stdout);
  return JSON.parse(output.slice(output.lastIndexOf("\n") + 1)) as Outcome;
}

/** Of the processes that were ended by what is said, the one with this command. */
function assertGone(said: string, command: string): void {
  const line = said.split("\n").find((each) => each.endsWith(command)) ?? assert.fail(said);
  assert.equal(processAt(Number.parseInt(line, 10)), null, line);
}

const fine = `test("fine", () => {});`;

test("what passes, what fails, and a file without a test", async (t) => {
  const { passed, failed, failures } = await ran(t, [
    fine,
    `test("wrong", () => { throw new Error("as it were"); });`,
    "",
  ]);
  assert.deepEqual([passed, failed], [1, 2]);
  assert.match(failures.join("\n"), /1\.test\.mjs: wrong\n {4}Error: as it were/);
  assert.match(failures.join("\n"), /2\.test\.mjs: ran no test/);
});

test("a file kept by what a failed hook left running ends with it, and the next has its turn", async (t) => {
  const { passed, failed, failures } = await ran(t, [
    `import { spawn } from "node:child_process";
    test.before(() => { spawn("sleep", ["600"]); throw new Error("no leader"); });
    test("never", () => {});`,
    fine,
  ]);
  const said = failures.join("\n");
  assert.equal(passed, 1);
  assert.ok(failed >= 1, String(failed));
  assert.match(said, /0\.test\.mjs: never\n {4}Error: no leader/);
  assert.match(said, /0\.test\.mjs: not over after 2\.5 s, so it was ended:/);
  assertGone(said, " sleep 600");
});

test("a file that hears nothing any more is ended by force", async (t) => {
  const { passed, failed, failures } = await ran(t, [
    `process.on("SIGTERM", () => {});
    test("endless", () => { for (;;); });`,
    fine,
  ]);
  assert.equal(passed, 1);
  assert.ok(failed >= 1, String(failed));
  const said = failures.join("\n");
  assert.match(said, /0\.test\.mjs: not over after 2\.5 s/);
  assertGone(said, "0.test.mjs");
});
