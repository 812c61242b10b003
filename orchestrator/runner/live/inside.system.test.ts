// lane: quiet, 10 s, with docker: the plane of the side-car has no priority over other tests
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";
import { execa } from "execa";
import { newLabel } from "../../testbed/label.ts";
import type { Certificate } from "../../testbed/network/certificate.ts";
import { labelledFolder } from "../../testbed/reaper.ts";
import { socketOf, useDaemon } from "../../testing/suite-fixtures.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const IMAGE = "polebench-inside-test:latest";

/** No more than places for this machine's own programs: nothing is fetched for a test. */
function emptyImage(folder: string): NodeJS.ReadableStream {
  for (const name of ["usr", "etc", "proc", "sys", "dev", "run", "var", "root", "tmp"]) {
    mkdirSync(join(folder, name));
  }
  for (const name of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${name}`, join(folder, name));
  return spawn("tar", ["--create", "--directory", folder, "."], { stdio: ["ignore", "pipe", "inherit"] })
    .stdout;
}

test("a command that runs inside, unprivileged, gives containers beside it the asked network", async () => {
  const label = newLabel();
  const folder = labelledFolder("inside", label);
  using cleanup = new DisposableStack();
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  await using daemon = await useDaemon();
  const { docker } = daemon;
  const imported = await docker.importImage(emptyImage(folder), { repo: IMAGE.split(":")[0] ?? "" });
  await new Promise((resolve, reject) => {
    docker.modem.followProgress(imported, (error) => (error === null ? resolve(null) : reject(error)));
  });
  const calibration = ["calibrate", "2dc", "--infrastructure", "docker", "--rounds", "50", "--json"];
  const { stdout, stderr, exitCode } = await execa(
    join(ROOT, "docker/inside"),
    [process.execPath, "orchestrator/main.ts", ...calibration],
    {
      reject: false,
      stdin: "ignore",
      timeout: 120_000,
      env: {
        IMAGE,
        DOCKER_HOST: `unix://${socketOf(daemon)}`,
        DOCKER_FLAGS: "--network=none --volume=/usr:/usr:ro --volume=/etc:/etc:ro",
      },
    },
  );
  // 1: the network is there, and was not as exact as a certificate demands, on a machine full of tests.
  assert.ok(exitCode === 0 || exitCode === 1, stderr);
  const certificate = JSON.parse(stdout) as Certificate;
  assert.equal(certificate.infrastructure, "docker");
  const there = certificate.ways.find(({ from, to }) => from === "tud" && to === "cern");
  assert.ok(there !== undefined);
  assert.ok(Math.abs(there.achieved.p50 - there.asked.p50) < 2000, stdout);
});
