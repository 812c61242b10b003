import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import test, { suite } from "node:test";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { ask } from "../bench/four-letter-word.ts";
import { type Ensemble, type ServerProcess, startEnsemble } from "../bench/ensemble.ts";
import { SYSTEMS } from "../bench/system.ts";

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const COMPILER = "/usr/bin/javac";
const JAR = "/usr/share/java/zookeeper.jar";
const TIMEOUT_MS = 120_000;

const PROGRAMS = [
  { name: "kazoo", words: ["/usr/bin/python3", beside("kazoo_read_only.py")], needs: JAR },
  {
    name: "ZooKeeper's Java client",
    words: ["java", "-cp", JAR, beside("ReadOnlyProof.java")],
    needs: COMPILER,
  },
] as const;

/** Two of three servers die, and come back: a client that may only read meanwhile keeps its session. */
for (const { name, words, needs } of PROGRAMS) {
  const skip = existsSync(needs) ? false : `${needs} is not there`;
  suite(`a client of ${name} while there is no quorum`, { skip }, () => {
    test("reads, and writes again in the same session", async () => {
      await using ensemble = await startEnsemble(SYSTEMS.polebench, 3, { "readonlymode.enabled": "true" });
      const [program = "", ...args] = [...words, ensemble.connectString];
      const client = execa(program, args, { reject: false, all: true, timeout: TIMEOUT_MS });
      const said: string[] = [];
      for await (const line of createInterface({ input: client.stdout })) {
        said.push(line);
        if (line === "writes") await cutOff(ensemble);
        if (line === "reads") await comeBack(ensemble);
      }
      const { all, exitCode } = await client;
      assert.deepEqual([said, exitCode], [["writes", "reads", "writes again"], 0], all);
    });
  });
}

async function cutOff({ servers }: Ensemble): Promise<void> {
  const [left, ...others] = servers as [ServerProcess, ServerProcess, ServerProcess];
  assert.equal(await ask(left.clientPort, "isro"), "rw");
  await Promise.all(others.map((server) => server.kill()));
}

async function comeBack(ensemble: Ensemble): Promise<void> {
  const [left, ...others] = ensemble.servers as [ServerProcess, ServerProcess, ServerProcess];
  assert.equal(await ask(left.clientPort, "isro"), "ro");
  assert.match(await ask(left.clientPort, "srvr"), /READ-ONLY mode[^]*^Mode: read-only$/m);
  for (const server of others) server.start();
  await ensemble.ready();
  assert.equal(await ask(left.clientPort, "isro"), "rw");
}
