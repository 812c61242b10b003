// lane: quiet, 45 s: beside other tests the verdict may be that the network was not as asked
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { isInstalled } from "../../testbed/environment.ts";
import { interrupted, isMarked, LIVE } from "../../testing/interrupted.ts";

const home = mkdtempSync(join(tmpdir(), "polebench-test-"));
after(() => rmSync(home, { recursive: true }));

suite("what Ctrl-C cuts off is neither lost nor called a result", () => {
  test("during the load keeps what was measured, as unknown", async () => {
    const { printed, out } = await interrupted({ command: LIVE, when: ": load", later: 2000, home });
    assert.match(printed, /^unknown: p5 led/);
    assert.ok(isMarked(join(out, "run", "latest")));
    assert.ok(existsSync(join(out, "run", "latest", "logs", "p5.log")));
  });

  test("while the servers are asked what they hold keeps the whole load, as unknown", async () => {
    const command = `${LIVE} --duration 4s --seed 2`;
    const { printed, out } = await interrupted({ command, when: ": check", later: 0, home });
    assert.match(printed, /^unknown: p5 led.*; p\d leads/);
    assert.ok(isMarked(join(out, "run", "latest")));
    const lines = readFileSync(join(out, "run", "latest", "operations.csv"), "utf8").split("\n");
    assert.ok(lines.length > 150, `${lines.length} lines of operations`);
  });

  const skip = isInstalled("dockerd") ? false : "dockerd is not installed";
  test("takes loaded containers down too, and keeps what was measured", { skip }, async () => {
    const { printed } = await interrupted({
      command: LIVE.replace("netns", "docker"),
      when: ": load",
      later: 1000,
      home,
    });
    assert.match(printed, /^unknown: p5 led/);
  });
});
