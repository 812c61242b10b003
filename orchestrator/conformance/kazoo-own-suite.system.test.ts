// lane: waits, 10 s
import assert from "node:assert/strict";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { SYSTEMS } from "../system/catalog.ts";

/**
 * The suite that kazoo's authors keep, unchanged, against three of our servers, which it starts, stops and
 * starts again by itself. All of it is KAZOO_TESTS=all, and takes minutes; the usual part takes seconds.
 */
const USUAL = "barrier build counter election interrupt lease party queue client.TestClient".split(" ");
const NAMES = process.env["KAZOO_TESTS"] ?? USUAL.join(" ");

/** What it demands, and is not to be: by the name of the test, and why. */
const NOT_OURS: Readonly<Record<string, string>> = {
  test_add_remove_observer: "the ensemble cannot be changed while it runs",
  test_bad_input: "the same",
  test_no_super_auth: "the same",
};

const PYTHON = "/usr/bin/python3";
const PROGRAM = fileURLToPath(new URL("kazoo_own_suite.py", import.meta.url));
/** Ten ports to a server, from here on; others may run the same. */
const PORT = 26_000 + (process.pid % 100) * 30;
const TIMEOUT_MS = 500_000;

const { zookeeper, polebench } = SYSTEMS;

// Debian's kazoo comes with ZooKeeper here: what the one needs is there with the other.
test("kazoo's own suite", { skip: zookeeper.missing() ?? false }, async () => {
  const command = polebench.command("").slice(0, -1);
  const names = NAMES === "all" ? [] : NAMES.split(" ");
  const { stdout } = await execa(PYTHON, [PROGRAM, String(PORT), ...command, "--", ...names], {
    env: {
      POLEBENCH_READ_ONLY: "yes",
      // "test", as the suite expects it of the servers that it starts.
      POLEBENCH_SUPER_DIGEST: "super:D/InIHSb7yEEbrWz8b9l71RjZJU=",
    },
    reject: false,
    timeout: TIMEOUT_MS,
  });
  const failed = [...stdout.matchAll(/^failed: (\w+)/gm)].map(([, name = ""]) => name);
  assert.deepEqual(
    failed.filter((name) => NOT_OURS[name] === undefined),
    [],
    stdout,
  );
  assert.match(stdout, /^ran [1-9]\d+, skipped \d+, failed \d+$/m);
  console.log(`    ${stdout.trimEnd().split("\n").at(-1)}`);
});
