// lane: waits, 40 s
import assert from "node:assert/strict";
import { existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, suite, test } from "node:test";
import { isInstalled } from "../../testbed/environment.ts";
import { interrupted, isMarked, LIVE } from "../../testing/interrupted.ts";

const home = mkdtempSync(join(tmpdir(), "polebench-test-"));
after(() => rmSync(home, { recursive: true }));

/** Most of a command's time is waited: several are interrupted at once, each in its own folder. */
const AT_ONCE = 4;

suite("Ctrl-C", { concurrency: AT_ONCE }, () => {
  for (const phase of ["network", "calibration", "ensemble"]) {
    test(`before the load leaves nothing behind: ${phase}`, async () => {
      const { printed, out } = await interrupted({ command: LIVE, when: `: ${phase}`, later: 300, home });
      assert.equal(printed, "");
      assert.ok(!existsSync(join(out, "run", "latest")), "and no report of nothing");
    });
  }

  const skip = isInstalled("dockerd") ? false : "dockerd is not installed";

  test("takes containers down too, and the daemon that was started for them", { skip }, async () => {
    const { printed } = await interrupted({
      command: LIVE.replace("netns", "docker"),
      when: ": calibration",
      later: 300,
      home,
    });
    assert.equal(printed, "");
  });

  for (const [command, when, later] of [
    ["calibrate 2dc --bandwidth 120", ": calibration", 2000],
    ["bench-plane --json", "measured", 1000],
  ] as const) {
    test(`ends what only measures networks, long before it would be done: ${command}`, async () => {
      const began = performance.now();
      const { printed } = await interrupted({ command, when, later, home });
      assert.equal(printed, "");
      assert.ok(performance.now() - began < 120_000);
    });
  }

  test("while the report is made lets it be made: the run was whole", async () => {
    const command = "run --runtime sim --duration 3s --out .";
    const { printed, out } = await interrupted({ command, when: ": report", later: 0, home });
    assert.match(printed, /^valid: p5 led/);
    assert.ok(existsSync(join(out, "run", "latest", "report.html")));
  });

  test("ends virtual time too", async () => {
    const command = "run --runtime sim --duration 600s --out .";
    const { printed } = await interrupted({ command, when: "virtual time", later: 6000, home });
    assert.match(printed, /^unknown/);
  });

  test("ends a paper's figures too", async () => {
    const command = "paper --runtime sim --figure 6 --out .";
    const { printed, out } = await interrupted({ command, when: "[1/45]", later: 1500, home });
    assert.match(printed, /^not run 6: interrupted with 1 of 45 runs done/);
    const [cut] = globSync(join(out, "paper/sim/cells/6/*/measured.json"));
    assert.ok(cut !== undefined && isMarked(dirname(cut)), "the raw data of the run that was cut off");
  });
});
