// What is wrong with a swarm is said in a sentence: by daemons that answer as Docker's do.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import Docker from "dockerode";
import { ownAddress, workersOf } from "./nodes.ts";

const folder = mkdtempSync(join(tmpdir(), "polebench-swarm-"));
after(() => rmSync(folder, { recursive: true }));
let sockets = 0;

interface Said {
  readonly version?: object;
  readonly swarm?: object;
  readonly nodes?: readonly object[];
  /** Of the list of nodes: status and message. */
  readonly refusal?: readonly [number, string];
}

const MANAGER = { LocalNodeState: "active", ControlAvailable: true, NodeAddr: "10.9.0.1" };

/** A daemon that says so. */
async function daemon({ version, swarm = MANAGER, nodes = [], refusal }: Said) {
  const socketPath = join(folder, String((sockets += 1)));
  const server = createServer((request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    const say = (value: unknown, status = 200): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (path.endsWith("/version")) say(version ?? { ApiVersion: "1.41", Version: "20.10.24" });
    else if (path.endsWith("/info")) say({ Swarm: swarm });
    else if (refusal !== undefined) say({ message: refusal[1] }, refusal[0]);
    else say(nodes);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    docker: new Docker({ socketPath }),
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const node = (
  name: string,
  Role: string,
  { state = "ready", availability = "active", version = "20.10.24" } = {},
) => ({
  ID: `id-${name}`,
  Spec: { Role, Availability: availability },
  Description: { Hostname: name, Engine: { EngineVersion: version } },
  Status: { State: state },
});

test("workers that are ready take tasks; managers only when they are told to", async () => {
  const nodes = [
    node("m", "manager"),
    node("a", "worker"),
    node("b", "worker", { state: "down" }),
    node("c", "worker", { availability: "drain" }),
    node("d", "worker", { version: "28.1.0" }),
  ];
  using swarm = await daemon({ nodes });
  const names = async (onManagers: boolean) =>
    (await workersOf(swarm.docker, onManagers)).map(({ name }) => name);
  assert.deepEqual(
    [await names(false), await names(true)],
    [
      ["a", "d"],
      ["m", "a", "d"],
    ],
  );
  assert.equal(await ownAddress(swarm.docker), "10.9.0.1");
});

suite("refused", () => {
  const kinds: readonly [what: string, said: Said, told: RegExp][] = [
    [
      "an engine that knows no jobs",
      { version: { ApiVersion: "1.40", Version: "19.03.15" } },
      /^Docker 19\.03\.15 knows no jobs of a swarm; 20\.10 is the first that does$/,
    ],
    [
      "a daemon in no swarm",
      { swarm: { LocalNodeState: "inactive" } },
      /is in no swarm: docker swarm init, or set DOCKER_HOST/,
    ],
    ["a locked swarm", { swarm: { LocalNodeState: "locked" } }, /docker swarm unlock$/],
    [
      "a node that could not join",
      { swarm: { LocalNodeState: "error", Error: "x509: certificate has expired" } },
      /swarm does not work: x509: certificate has expired$/,
    ],
    [
      "a worker",
      {
        swarm: {
          LocalNodeState: "active",
          ControlAvailable: false,
          RemoteManagers: [{ Addr: "10.9.0.1:2377" }],
        },
      },
      /is a worker of its swarm; set DOCKER_HOST to a manager \(10\.9\.0\.1:2377\)$/,
    ],
    [
      "a swarm that has lost its managers",
      { refusal: [503, "rpc error: code = Unknown desc = The swarm does not have a leader."] },
      /^the swarm has lost its managers: .*does not have a leader/,
    ],
    [
      "a swarm without workers",
      { nodes: [node("m", "manager")] },
      /^the swarm has no worker that .* only m \(manager, ready, active\): join one, or .* --on-managers$/,
    ],
    [
      "a swarm whose workers are gone",
      { nodes: [node("m", "manager", { availability: "drain" }), node("a", "worker", { state: "down" })] },
      /a \(worker, down, active\): join one: docker swarm join-token worker$/,
    ],
    [
      "a worker with an older engine",
      { nodes: [node("m", "manager"), node("a", "worker"), node("b", "worker", { version: "19.03.15" })] },
      /need Docker 20\.10 on every node; older are b \(19\.03\.15\): upgrade or drain them$/,
    ],
  ];
  for (const [what, said, told] of kinds)
    test(what, async () => {
      using swarm = await daemon(said);
      await assert.rejects(workersOf(swarm.docker, false), { name: "CannotRunHere", message: told });
    });

  test("no daemon at all", async () => {
    const docker = new Docker({ socketPath: join(folder, "none") });
    await assert.rejects(
      workersOf(docker, false),
      /^CannotRunHere: no Docker daemon answers \(.*\): start it, or set/,
    );
  });
});
