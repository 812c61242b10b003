// lane: waits, 110 s, with docker
// A sweep on a swarm: three Docker daemons on addresses that nobody else has, of which one is switched off in
// the middle, and then the manager.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type Docker from "dockerode";
import { provideSweepImage } from "../testbed/infrastructure/image.ts";
import {
  type DockerMachine,
  type DockerMachines,
  formSwarm,
  openDockerMachines,
} from "../testing/docker-swarm.ts";
import { useDaemon } from "../testing/suite-fixtures.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "polebench-swarm-"));
/** After which a node counts as lost. */
const SILENT_MS = 20_000;
const SMALL = "--oracles latency,history --servers 3 --rate 40/s --duration 16s --workers 1".split(" ");
let opened: DockerMachines;
let image = "";

const machine = (number: number): DockerMachine => {
  const found = opened.machines[number - 1];
  assert.ok(found !== undefined);
  return found;
};

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Sweeping {
  readonly said: () => string;
  readonly ended: Promise<Ended>;
}

const sweep = async (out: string, words: readonly string[], on = machine(1)): Promise<Ended> =>
  begin(out, words, on).ended;

/** On the manager, or where it is said. */
function begin(out: string, words: readonly string[], on = machine(1)): Sweeping {
  const [program = "", ...rest] = [...on.enter, process.execPath, MAIN, "sweep", ...SMALL, ...words];
  const env = { ...process.env, DOCKER_HOST: on.host };
  let said = "";
  const ended = new Promise<Ended>((resolve) => {
    const child = execFile(program, [...rest, "--out", join(folder, out)], { env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
    child.stderr?.on("data", (text) => (said += String(text)));
  });
  return { said: () => said, ended };
}

const onSwarm = (maps: number): readonly string[] => [
  "--placements",
  `random:${maps}`,
  "--engine",
  "swarm",
  "--image",
  image,
];

function kept(out: string): number {
  const file = join(folder, out, "sweep", "random-3-40-s-16s", "cells.sqlite");
  if (!existsSync(file)) return 0;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS count FROM cells").get()?.["count"]);
  } catch {
    // There is a file and no table yet.
    return 0;
  } finally {
    database.close();
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}

/** Of what was put on the swarm. */
async function left({ docker }: DockerMachine): Promise<readonly number[]> {
  const all = [docker.listServices(), docker.listSecrets(), docker.listConfigs()] as Promise<
    readonly unknown[]
  >[];
  return (await Promise.all(all)).map(({ length }) => length);
}

before(async () => {
  await using suites = await useDaemon();
  image = (await provideSweepImage(suites.docker, "own")).name;
  opened = await openDockerMachines(3);
  for (const { docker } of opened.machines.slice(0, 2)) await carryImage(suites.docker, docker);
});
after(async () => {
  await opened?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

async function carryImage(from: Docker, to: Docker): Promise<void> {
  const progress = await to.loadImage(await from.getImage(image).get());
  await new Promise((resolve) => to.modem.followProgress(progress, resolve));
}

suite("what is wrong is said in a sentence, and nothing stays", () => {
  const refused = async (words: readonly string[], told: RegExp, on = machine(1)): Promise<void> => {
    const { code, stdout, stderr } = await sweep("refused", [...onSwarm(2), ...words], on);
    assert.match(stderr, told);
    assert.deepEqual([code, stdout], [3, ""]);
  };

  test("no swarm, then one without workers, then a worker that is asked to lead", async () => {
    await refused([], /^this Docker daemon is in no swarm: docker swarm init/m);
    await formSwarm([machine(1)]);
    await refused([], /^the swarm has no worker that takes tasks, only node-1 \(manager, ready, active\): /m);
    await formSwarm([machine(1), machine(3)]);
    await refused(
      [],
      /^this Docker daemon is a worker of its swarm; set DOCKER_HOST to a manager \(10\./m,
      machine(3),
    );
    assert.deepEqual(await left(machine(1)), [0, 0, 0]);
  });

  test("a node without the image, and an address that is not here", async () => {
    await refused(["--at", "192.0.2.1:7"], /^--at: this machine has no address 192\.0\.2\.1; /m);
    await refused([], /node-3: it has no image polebench-sweep:\w+, and no registry gave it: docker save/);
    assert.deepEqual(await left(machine(1)), [0, 0, 0]);
  });
});

test("a node that is switched off costs only its cells; the rows are those of one machine", async () => {
  await carryImage(machine(1).docker, machine(3).docker);
  await formSwarm([machine(1), machine(2)]);
  const { said, ended } = begin("swarm", [...onSwarm(16), "--again", "4"]);
  await until(() => said().includes("node-3 takes cells") && kept("swarm") > 2);
  machine(3).switchOff();
  const before = kept("swarm");
  const off = performance.now();
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  assert.ok(before < 32, "it was switched off in the middle");
  // Where the others had nothing else to do, they had second copies of its cells before it was missed.
  if (performance.now() - off > 2 * SILENT_MS)
    assert.match(stderr, /^node-3 is silent; \d+ cells go to others$/m);
  assert.match(stdout, /^4 cells were run once more, with the same outcome\.$/m);
  assert.equal(kept("swarm"), 32);
  assert.deepEqual(await left(machine(1)), [0, 0, 0]);
  const alone = await sweep("alone", ["--placements", "random:16"]);
  const sentences = (text: string): string =>
    text.replace(/^\d+ cells were .*\n/gm, "").split("\n\n")[0] ?? "";
  assert.equal(sentences(stdout), sentences(alone.stdout));
});

test("a swarm that loses its manager goes on, and it is said what stays there", async () => {
  const running = sweep("headless", onSwarm(10));
  await until(() => kept("headless") > 2);
  // Its daemon alone: the machine, which gives out the cells, lives.
  machine(1).endDaemon();
  const { code, stderr } = await running;
  assert.equal(code, 0, stderr);
  assert.equal(kept("headless"), 20);
  assert.match(stderr, /^the swarm's manager does not answer \(.*\); its tasks go on without it$/m);
  assert.match(stderr, /the service polebench-sweep-\w+ is still there, .* make clean removes it/);
});
