// lane: works, 225 s
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import test from "node:test";
import { spawnSync } from "node:child_process";
import { isNetemHere } from "../environment.ts";
import { runInUml } from "../uml.ts";

const SUITE = fileURLToPath(new URL("netem.suite.ts", import.meta.url));

test("the engine netem, on a kernel that has it", async (context) => {
  const command = [process.execPath, "--test", "--test-reporter=spec", SUITE];
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  if (isNetemHere()) {
    const { status, stdout } = spawnSync(process.execPath, command.slice(1), {
      encoding: "utf8",
      env: environment,
    });
    context.diagnostic("on this kernel");
    assert.equal(status, 0, stdout);
    return;
  }
  const { code, output } = await runInUml(command);
  context.diagnostic("in User Mode Linux");
  for (const line of output.split("\n")) if (/[✔✖ℹ]/.test(line)) context.diagnostic(line.trim());
  assert.equal(code, 0, output);
});
