// lane: works, 16 s
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { after, before, suite } from "node:test";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { type Ensemble, startEnsemble } from "../system/ensemble.ts";
import { CONFORMING } from "./conforming.ts";
import { proveNodeClient } from "./node-client.ts";
import { proveCommandLine } from "./zookeeper-cli.ts";

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Debian's Python, for which Debian's kazoo is installed. */
const PYTHON = "/usr/bin/python3";
const COMPILER = "/usr/bin/javac";
const ZOOKEEPER = "/usr/share/java/zookeeper.jar";
const CURATOR = ["curator-recipes", "curator-framework", "curator-client", "guava"].map(
  (name) => `/usr/share/java/${name}.jar`,
);
const C_COMPILER = "/usr/bin/cc";
const HEADER = "/usr/include/zookeeper/zookeeper.h";
const TIMEOUT_MS = 120_000;

/**
 * Clients that nobody here wrote, against ZooKeeper (which shows that the proofs are right) and against ours.
 */
for (const system of CONFORMING) {
  suite(`outside clients of ${system.name}`, { skip: system.missing() ?? false }, () => {
    let ensemble: Ensemble;

    before(async () => {
      ensemble = await startEnsemble(system, 3);
    });

    after(() => ensemble[Symbol.asyncDispose]());

    test("kazoo and its recipes", async () => {
      const program = beside("kazoo_recipes.py");
      const { stdout } = await execa(PYTHON, [program, ensemble.connectString], { timeout: TIMEOUT_MS });
      assert.equal(stdout.match(/^held: /gm)?.length, 15, stdout);
    });

    test("ZooKeeper's command line", () => proveCommandLine(ensemble.connectString));

    test("node-zookeeper-client", () => proveNodeClient(ensemble.connectString));

    const noJdk = existsSync(COMPILER) ? false : "there is no JDK here";
    test("ZooKeeper's Java client", { skip: noJdk }, async () => {
      const program = beside("ClientProof.java");
      const args = ["-cp", ZOOKEEPER, program, ensemble.connectString];
      const { stdout } = await execa("java", args, { timeout: TIMEOUT_MS });
      assert.equal(stdout.match(/^held: /gm)?.length, 8, stdout);
    });

    const noCurator = noJdk || (existsSync(CURATOR[0] ?? "") ? false : "there is no Curator here");
    test("Curator and its recipes", { skip: noCurator }, async () => {
      const args = ["-cp", [...CURATOR, ZOOKEEPER].join(":"), beside("CuratorProof.java")];
      const { stdout } = await execa("java", [...args, ensemble.connectString], { timeout: TIMEOUT_MS });
      assert.equal(stdout.match(/^held: /gm)?.length, 13, stdout);
    });

    const noHeader = [C_COMPILER, HEADER].every((file) => existsSync(file)) ? false : "there is no C here";
    test("ZooKeeper's C client", { skip: noHeader }, async () => {
      const folder = mkdtempSync(join(tmpdir(), "polebench-c-client-"));
      try {
        const program = join(folder, "proof");
        const source = ["-DTHREADED", "-I", dirname(HEADER), beside("client_proof.c")];
        await execa(C_COMPILER, ["-Wall", "-Werror", "-o", program, ...source, "-lzookeeper_mt"]);
        const { stdout } = await execa(program, [ensemble.connectString], { timeout: TIMEOUT_MS });
        assert.equal(stdout.match(/^held: /gm)?.length, 6, stdout);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
}
