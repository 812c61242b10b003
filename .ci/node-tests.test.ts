// lane: waits, 6 s
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

/** What came of a file in a process of its own, as node:test does not run itself. */
async function ran(t: TestContext, source: string): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "polebench-node-tests-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.test.mjs"), `import test, { suite } from "node:test";\n${source}`);
  const limits = { testMs: 500, fileMs: 2500, graceMs: 500 };
  const program = `
    import { writeSync } from "node:fs";
    import { testFile } from ${JSON.stringify(TESTS)};
    console.log = () => {};
    const outcome = await testFile("a.test.mjs", ${JSON.stringify(limits)});
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

test("what passes, what fails, and what is skipped, with the reason", async (t) => {
  const { passed, failed, failures, skipped } = await ran(
    t,
    `test("fine", () => {});
    test("wrong", () => { throw new Error("as it were"); });
    test("elsewhere", { skip: "only root may" }, () => {});
    suite("all of it", { skip: "no JDK is here" }, () => test("never seen", () => {}));`,
  );
  assert.deepEqual([passed, failed], [1, 1]);
  assert.match(failures.join("\n"), /^a\.test\.mjs: wrong\n {4}Error: as it were/);
  assert.deepEqual(skipped, [
    "a.test.mjs: elsewhere: only root may",
    "a.test.mjs: all of it: no JDK is here",
  ]);
});

test("a file without a test fails", async (t) => {
  const { passed, failed, failures } = await ran(t, "");
  assert.deepEqual([passed, failed, failures], [0, 1, ["a.test.mjs: ran no test"]]);
});

test("a file kept by what a failed hook left running ends with it", async (t) => {
  const { failed, failures } = await ran(
    t,
    `import { spawn } from "node:child_process";
    test.before(() => { spawn("sleep", ["600"]); throw new Error("no leader"); });
    test("never", () => {});`,
  );
  const said = failures.join("\n");
  assert.ok(failed >= 1, String(failed));
  assert.match(said, /a\.test\.mjs: never\n {4}Error: no leader/);
  assert.match(said, /a\.test\.mjs: not over after 2\.5 s, so it was ended:/);
  assertGone(said, " sleep 600");
});

test("a file that hears nothing any more is ended by force", async (t) => {
  const { failed, failures } = await ran(
    t,
    `process.on("SIGTERM", () => {});
    test("endless", () => { for (;;); });`,
  );
  assert.ok(failed >= 1, String(failed));
  const said = failures.join("\n");
  assert.match(said, /a\.test\.mjs: not over after 2\.5 s/);
  assertGone(said, "a.test.mjs");
});
