// lane: works, 12 s, with docker
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import test, { suite } from "node:test";
import type { Diagnosis } from "../command/doctor.ts";
import { isNetemHere, isRoot } from "./environment.ts";
import { useDaemon } from "../testing/suite-fixtures.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const HERE = `${process.execPath} ${MAIN}`;

/**
 * In a world of its own mounts (and, if asked, users), takes something away and then runs a command of ours,
 * through whatever the loss has put into AS.
 */
function without(loss: string, command: string, ...kinds: readonly string[]) {
  const script = `${loss} && exec $AS ${HERE} ${command}`;
  const environment = { ...process.env, AS: "", DOCKER_HOST: "unix:///nowhere" };
  return spawnSync("unshare", ["--mount", ...kinds, "sh", "-c", script], {
    encoding: "utf8",
    env: environment,
  });
}

/** No program any more: a file that cannot be executed. */
const hide = (program: string): string => `mount --bind /dev/null $(readlink -f $(command -v ${program}))`;

type Missing = [what: string, loss: string, command: string, kinds: string[], told: RegExp];

const NO_NETEM: Missing = [
  "netem in the kernel",
  "true",
  "up 2dc --engine netem",
  [],
  /^this kernel has no sch_netem: modprobe sch_netem, or take --engine plane$/,
];

const missing: readonly Missing[] = [
  ...(isNetemHere() ? [] : [NO_NETEM]),
  [
    "TUN devices",
    "mount -t tmpfs none /dev/net",
    "up 2dc --engine plane",
    [],
    /^\/dev\/net\/tun is missing: modprobe tun; in a container: --device \/dev\/net\/tun/,
  ],
  [
    "leave to open TUN devices",
    // Nobody's file, and a root without the capability that passes over that.
    "mount -t tmpfs none /dev/net && mknod -m 0 /dev/net/tun c 10 200 && " +
      "AS='setpriv --bounding-set=-dac_override,-dac_read_search --'",
    "up 2dc --engine plane",
    [],
    /^\/dev\/net\/tun may not be opened: run as root, or chmod 666 \/dev\/net\/tun$/,
  ],
  [
    "leave to make user namespaces, for who works without root",
    "echo 0 >/proc/sys/user/max_user_namespaces",
    "up 2dc --rootless",
    ["--user", "--map-root-user"],
    /^no user namespaces here \(.*\): run as root without --rootless, or allow them with sysctl /,
  ],
  ["iproute2", hide("ip"), "up 2dc", [], /^ip is missing: apt-get install iproute2/],
  [
    "leave to make namespaces",
    "echo 0 >/proc/sys/user/max_net_namespaces",
    "up 2dc",
    ["--user", "--map-root-user"],
    /^root may not make network namespaces \(.*\): give the container CAP_SYS_ADMIN$/,
  ],
  [
    "a Docker daemon, and a program to start one",
    hide("dockerd"),
    "up 2dc --infrastructure docker",
    [],
    /^no Docker daemon answers and dockerd is missing: apt-get install docker\.io$/,
  ],
];

const options = { skip: isRoot() ? false : "only root can take things away" };

suite("what this machine lacks is said in one line with its remedy, and ends with 3", options, () => {
  for (const [what, loss, command, kinds, told] of missing) {
    test(what, () => {
      const { status, stdout, stderr } = without(loss, command, ...kinds);
      assert.equal(stdout, "");
      assert.match(stderr.trim(), told);
      assert.equal(stderr.trim().split("\n").length, 1, stderr);
      assert.equal(status, 3);
    });
  }
});

suite("the doctor", options, () => {
  test("with nothing missing that a testbed needs ends with 0, and names what else is", () => {
    const python = "mount -t tmpfs none /usr/lib/python3/dist-packages";
    const { status, stdout } = without(`${hide("java")} && ${python}`, "doctor");
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^ok +network namespaces +as root$/m);
    assert.match(stdout, /^missing java +apt-get install default-jre-headless: for SYSTEM=zookeeper$/m);
    assert.match(stdout, /^missing zookeeper +java is missing: apt-get install zookeeper /m);
    assert.match(stdout, /^missing kazoo +apt-get install python3-kazoo: for CLIENT=kazoo$/m);
    assert.match(stdout, /^engine: (netem|plane) \(.*\)\nruntimes: (docker, )?netns, sim\n$/m);
  });

  test("where no testbed can be opened ends with 3, with the remedy and with what runs all the same", () => {
    const { status, stdout } = without(hide("ip"), "doctor");
    assert.equal(status, 3, stdout);
    assert.match(stdout, /^missing ip +apt-get install iproute2: nothing runs without it$/m);
    assert.match(stdout, /^engine: none \(ip is missing: apt-get install iproute2,.*\)$/m);
    assert.match(stdout, /^runtimes: sim; make run RUNTIME=sim takes seconds and needs none of this$/m);
    const run = "run --runtime sim --duration 2s --rate 60/s --quiet --out $(mktemp -d)";
    assert.equal(without(hide("ip"), run).status, 0, "and so it does");
  });

  test("tells programs the same as JSON", () => {
    const { status, stdout } = without("mount -t tmpfs none /dev/net", "doctor --json");
    const { findings, engine, runtimes } = JSON.parse(stdout) as Diagnosis;
    assert.equal(findings.find(({ what }) => what === "TUN devices")?.ok, false);
    if (isNetemHere()) assert.deepEqual([status, engine, runtimes.at(-1)], [0, "netem", "sim"]);
    else assert.deepEqual([status, engine, runtimes], [3, null, ["sim"]]);
  });
});

test(
  "containers of another machine, as with Docker Desktop, are not taken for this one's",
  options,
  async () => {
    await using _ = await useDaemon();
    // In a world of its own processes, the daemon's numbers mean somebody else or nobody.
    const command = `${HERE} up 2dc --infrastructure docker`.split(" ");
    const child = spawn("unshare", ["--pid", "--fork", "--mount-proc", ...command], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let told = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (told += text));
    const [status] = (await once(child, "close")) as [number];
    assert.match(
      told.trim(),
      /^the Docker daemon runs its containers in another machine, .*: docker\/inside make run/,
    );
    assert.equal(status, 3);
  },
);
