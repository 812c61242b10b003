// lane: waits, 12 s
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { startEnsemble } from "../system/ensemble.ts";
import { SYSTEMS } from "../system/catalog.ts";

const COMPILER = "/usr/bin/javac";
const JAR = "/usr/share/java/zookeeper.jar";
const PROGRAM = fileURLToPath(new URL("OperationsProof.java", import.meta.url));
const PROOFS = 8;

test("what happens to sessions, watches and znodes that nobody touches", {
  skip: existsSync(COMPILER) && existsSync(JAR) ? false : "there is no JDK, or no ZooKeeper, here",
}, async () => {
  const settings = { extendedTypesEnabled: "true", enforceQuota: "true", tickTime: 500 };
  await using ensemble = await startEnsemble(SYSTEMS.polebench, 3, settings);
  const { all, exitCode } = await execa("java", ["-cp", JAR, PROGRAM, ensemble.connectString], {
    all: true,
    reject: false,
    timeout: 180_000,
  });
  assert.equal(exitCode, 0, all);
  assert.equal(all.match(/^held: /gm)?.length, PROOFS, all);
});
