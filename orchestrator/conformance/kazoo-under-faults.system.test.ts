// lane: works, 15 s
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import test, { suite } from "node:test";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { type Ensemble, type ServerProcess, startEnsemble } from "../system/ensemble.ts";
import { SYSTEMS, type SystemName } from "../system/catalog.ts";

/** FAULT_SECONDS=600 for a long look; SYSTEM=zookeeper shows that the promises are no more than fair. */
const SECONDS = Number(process.env["FAULT_SECONDS"] ?? 12);
const SYSTEM = SYSTEMS[(process.env["SYSTEM"] ?? "polebench") as SystemName];
const MS_DOWN = 1000;
const MS_BETWEEN = 1500;
const PROMISES = 9;

const PYTHON = "/usr/bin/python3";
const PROGRAM = fileURLToPath(new URL("kazoo_under_faults.py", import.meta.url));

suite(`kazoo's recipes, while servers of ${SYSTEM.name} are killed`, {
  skip: SYSTEM.missing() ?? false,
}, () => {
  test("keep what was promised", async () => {
    await using ensemble = await startEnsemble(SYSTEM, 3);
    const program = execa(PYTHON, [PROGRAM, ensemble.connectString], { reject: false, all: true });
    try {
      await new Promise<void>((resolve, reject) => {
        program.stdout.once("data", () => resolve());
        program.then(({ all }) => reject(new Error(`it did not even begin:\n${all}`)), reject);
      });
      const killed = await roll(ensemble);
      program.stdin.end("enough\n");
      const { all, exitCode } = await program;
      console.log(`    ${killed} kills in ${SECONDS} s\n${all.replaceAll(/^/gm, "    ")}`);
      assert.equal(exitCode, 0, all);
      assert.equal(all.match(/^held: /gm)?.length, PROMISES, all);
    } finally {
      program.kill("SIGKILL");
    }
  });
});

/** One server after the other, and every third time whoever leads, is killed and started again. */
async function roll(ensemble: Ensemble): Promise<number> {
  const end = performance.now() + SECONDS * 1000;
  let killed = 0;
  for (; performance.now() < end; killed++) {
    await delay(MS_BETWEEN);
    const next = ensemble.servers[killed % ensemble.servers.length] as ServerProcess;
    // On a busy machine the leader may take too long to say that it leads.
    const server = killed % 3 === 0 ? await ensemble.leader().catch(() => next) : next;
    await server.kill();
    await delay(MS_DOWN);
    server.start();
    await ensemble.ready();
  }
  return killed;
}
