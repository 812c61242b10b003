// lane: waits, 8 s
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { ask } from "../system/zookeeper/four-letter-word.ts";
import { type Ensemble, type ServerProcess, startEnsemble } from "../system/ensemble.ts";
import { SYSTEMS } from "../system/catalog.ts";

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const COMPILER = "/usr/bin/javac";
const JAR = "/usr/share/java/zookeeper.jar";
const TIMEOUT_MS = 120_000;

const KAZOO = ["/usr/bin/python3", beside("kazoo_read_only.py")];
const JAVA = ["java", "-cp", JAR, beside("ReadOnlyProof.java")];
/** Debian's kazoo comes with its ZooKeeper here. */
const PROGRAMS = [...(existsSync(JAR) ? [KAZOO] : []), ...(existsSync(COMPILER) ? [JAVA] : [])];
const STAGES = ["writes", "reads", "writes again"] as const;

test("while two of three servers are down, clients that may only read keep their sessions", {
  skip: PROGRAMS.length > 0 ? false : "neither kazoo nor a JDK is here",
}, async () => {
  await using ensemble = await startEnsemble(SYSTEMS.polebench, 3, { "readonlymode.enabled": "true" });
  const clients = PROGRAMS.map((words) => new Client([...words, ensemble.connectString]));
  for (const stage of STAGES) {
    for (const client of clients) await client.reach(stage);
    if (stage === "writes") await cutOff(ensemble);
    if (stage === "reads") await comeBack(ensemble);
  }
  for (const client of clients) assert.equal(await client.ended, 0);
});

/** A program that says in a line each how far it is. */
class Client {
  readonly ended: Promise<number | undefined>;
  readonly #process;
  readonly #lines: AsyncIterator<string>;

  constructor([program = "", ...args]: readonly string[]) {
    this.#process = execa(program, args, { reject: false, all: true, timeout: TIMEOUT_MS });
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
    this.ended = this.#process.then(({ exitCode }) => exitCode);
  }

  async reach(stage: string): Promise<void> {
    const { value, done } = await this.#lines.next();
    if (done === true) assert.fail(`it ended before it "${stage}":\n${(await this.#process).all}`);
    assert.equal(value, stage);
  }
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
