// lane: waits, 15 s
/**
 * A firewall forgets connections between servers: what the kernel would repeat for a quarter of an hour the
 * servers notice by themselves. Three processes in a network of their own, whose packets a rule of that
 * network's firewall throws away; it looks at ports, so connections made anew pass.
 */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runServers, until } from "../../testing/host/server-processes.ts";
import { make } from "../../testing/tree/stage.ts";
import { ERRORS } from "../../wire/client/error.ts";
import { AskingSession } from "./asking-session.ts";

const INSIDE = "POLEBENCH_NETWORK_OF_ITS_OWN";
const MUCH = 500_000;

interface Connection {
  readonly ports: readonly [number, number];
  /** Of what this end has sent and the other has acknowledged. */
  readonly acknowledged: number;
}

/** Each end of every connection that stands, as the kernel has it. */
function connections(): Connection[] {
  const lines = execFileSync("ss", ["-tniHO", "state", "established"], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const ports = [...line.matchAll(/127\.0\.0\.1\]?:(\d+)/g)].map(([, port]) => Number(port));
    const [own, other] = ports;
    if (own === undefined || other === undefined) return [];
    return [{ ports: [own, other], acknowledged: Number(/bytes_acked:(\d+)/.exec(line)?.[1] ?? 0) }];
  });
}

const nameOf = ({ ports }: Connection): string => [...ports].sort((a, b) => a - b).join("-");

function forget({ ports: [one, other] }: Connection): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ]) {
    const ports = ["--sport", String(from), "--dport", String(to)];
    execFileSync("iptables", ["-A", "INPUT", "-i", "lo", "-p", "tcp", ...ports, "-j", "DROP"]);
  }
}

/** Asks anew at every server in turn until one has created it. */
async function create(places: Parameters<typeof AskingSession.open>[0][], path: string): Promise<void> {
  await until(`${path} is created`, async () => {
    for (const place of places) {
      try {
        using session = await AskingSession.open(place);
        const { error } = await session.ask(make(path));
        if (error === ERRORS.ok || error === ERRORS.nodeExists) return true;
      } catch {
        await sleep(100);
      }
    }
    return false;
  });
}

const words = ["--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--"];

/** Why it cannot be tried here, or false. */
function hindrance(): string | false {
  const tried = spawnSync("unshare", [...words, "sh", "-c", "iptables -L -n && ss -V && ip link"]);
  return tried.status === 0
    ? false
    : `no network of its own with iptables, ss and ip: ${String(tried.stderr)}`;
}

if (process.env[INSIDE] === undefined) {
  test("servers whose bulk connections are forgotten on the way find each other again", {
    skip: hindrance(),
  }, () => {
    const itself = [process.execPath, "--test", "--test-reporter=spec", fileURLToPath(import.meta.url)];
    const env = { ...process.env, [INSIDE]: "yes", NODE_TEST_CONTEXT: undefined };
    const { status, stdout, stderr } = spawnSync("unshare", [...words, ...itself], { env, encoding: "utf8" });
    assert.equal(status, 0, `${stdout}${stderr}`);
    assert.match(stdout, /✔ inside/);
  });
} else {
  test("inside", async () => {
    execFileSync("ip", ["link", "set", "dev", "lo", "up"]);
    const { places } = await runServers();
    const session = await AskingSession.open(places[0] ?? assert.fail("nobody runs"));
    for (let count = 0; count < 40; count++)
      await session.ask(make(`/much-${count}`, { data: new Uint8Array(50_000) }));
    const clients = new Set(places.map(({ port }) => port));
    const bulk = connections().filter(
      ({ ports, acknowledged }) => acknowledged > MUCH && !ports.some((port) => clients.has(port)),
    );
    assert.ok(bulk.length >= 2, "the leader sends to both others what is written");
    bulk.forEach(forget);
    await create([...places], "/after");
    const forgotten = new Set(bulk.map(nameOf));
    await until("all are made anew", () => !connections().some((each) => forgotten.has(nameOf(each))));
  });
}
