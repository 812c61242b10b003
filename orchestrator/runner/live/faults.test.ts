import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { parseFault } from "../../fault/words.ts";
import type { DiskBend } from "../../fault/abilities.ts";
import { type LinkShape, loadTopology } from "../../topology/topology.ts";
import { LiveFaults } from "./faults.ts";
import { machinesOf } from "../../testbed/network/network.ts";

const topology = loadTopology("3dc");
const machines = new Map(machinesOf(topology).map((machine) => [machine.name, machine]));
const siteOf = (name: string): string => machines.get(name)?.site ?? assert.fail(name);

/** By itself. */
const ENDED = 3;

/** What is asked of the network and of the servers, in order; p5 leads. */
async function done(...faults: readonly string[]): Promise<readonly string[]> {
  const said: string[] = [];
  const say = (...words: readonly unknown[]): Promise<void> => {
    said.push(words.join(" "));
    return Promise.resolve();
  };
  const network = {
    asked: (from: string, to: string) => topology.link(siteOf(from), siteOf(to)),
    cut: (from: string, to: string) => say("cut", from, to),
    heal: (from: string, to: string) => say("heal", from, to),
    forget: (from: string, to: string, which: string) => say("forget", from, to, which),
    shape: (from: string, to: string, { delay, jitter, ...rest }: Partial<LinkShape>) =>
      delay === undefined
        ? say("shape", from, to, ...Object.entries(rest).map(([name, value]) => `${name}=${value}`))
        : say("shape", from, to, delay, jitter?.scale),
  };
  const servers = {
    leader: () => serverId(5),
    isRunning: (server: number) => server !== ENDED,
    kill: (server: number) => say("kill", server),
    pause: (server: number) => say("pause", server),
    resume: (server: number) => say("resume", server),
    start: (server: number) => say("start", server),
    transfer: (server: number) => say("transfer", server),
  };
  const bent = {
    bend: (server: number, bend: DiskBend | null) => say("bend", server, bend?.kind ?? "no more"),
    wipe: (server: number) => say("wipe", server),
    jump: (server: number, by: number) => say("jump", server, by),
    leap: (server: number, by: number) => say("leap", server, by),
  };
  const isolate = (name: string): Promise<void> => say("isolate", name);
  const plan = faults.map((text) => {
    const parsed = parseFault(`0s ${text}`, topology);
    return typeof parsed === "string" ? assert.fail(parsed) : parsed;
  });
  const carried = new LiveFaults({ topology, machines, network, isolate }, servers, bent, []);
  await carried.carryOut(plan, monotonic(), new AbortController().signal);
  assert.deepEqual(
    carried.marks.map(({ fault }) => fault),
    faults,
  );
  return said;
}

suite("what a fault does to machines and the ways between them", () => {
  test("two servers are cut off from each other, or one from the other", async () => {
    assert.deepEqual(await done("cut p1 leader"), ["cut p1 p5", "cut p5 p1"]);
    assert.deepEqual(await done("cut-one-way p1 leader"), ["cut p1 p5"]);
  });

  test("a server is cut off from servers, a site from whatever is not in it", async () => {
    const servers = ["cut p1 p2", "cut p1 p3", "cut p1 p4", "cut p1 p5"];
    assert.deepEqual(await done("cut-one-way p1"), servers);
    const ways = await done("cut site:fnal");
    assert.equal(ways.length, 2 * 2 * 6, "p1 and its site's clients, six others, both ways");
    assert.ok(ways.includes("cut clients-fnal p2") && ways.includes("cut clients-slac p1"));
    assert.ok(!ways.some((way) => /p1.*clients-fnal|clients-fnal.*p1/.test(way)));
  });

  test("heal ends what was cut, once, and nothing else", async () => {
    const said = await done("cut p1 p2", "cut-one-way p3 p4", "heal", "heal");
    assert.deepEqual(said.slice(3), ["heal p1 p2", "heal p2 p1", "heal p3 p4"]);
  });

  test("a crashed machine stays unplugged until it is restarted, whatever heals", async () => {
    const said = await done("cut p1 p2", "crash-machine p1", "heal", "restart p1");
    assert.deepEqual(said.slice(2, 4), ["isolate p1", "kill 1"]);
    assert.equal(said.at(-1), "start 1");
    const healed = said.slice(4, -1);
    assert.equal(healed.length, 2 * 7, "only now, and all its ways");
    assert.ok(healed.every((way) => /^heal (p1 |\S+ p1$)/.test(way)));
  });

  test("a restarted one gets no way that is cut, and none to a machine that is unplugged", async () => {
    const said = await done("cut p1 p2", "crash-machine p1", "crash-machine p3", "restart p1");
    const healed = said.filter((line) => line.startsWith("heal"));
    assert.deepEqual(
      healed.filter((way) => /p2|p3/.test(way)),
      [],
    );
    assert.equal(healed.length, 2 * 5);
  });

  test("a server that is to lead is told to the ensemble", async () => {
    assert.deepEqual(await done("transfer p2"), ["transfer 2"]);
  });

  test("a link changes between all machines of two sites, its jitter in proportion", async () => {
    const said = await done("link slac fnal 106.52ms");
    // Twice as far as before: 26.63 ms one way with a jitter of 533 us, 2 % of it.
    assert.ok(said.includes("shape p2 p1 53260 1066") && said.includes("shape clients-fnal p3 53260 1066"));
    assert.equal(said.length, 2 * 3 * 2, "p2, p3 and clients there, p1 and clients here");
  });

  test("a connection of two is forgotten once for each pair, and nothing heals it", async () => {
    const said = await done("forget-bulk p1 p2", "forget-any p2 fnal", "heal");
    assert.deepEqual(said, ["forget p1 p2 bulk", "forget p2 p1 any", "forget p2 clients-fnal any"]);
  });

  test("heal ends only the cuts between two, or those about one, where it names them", async () => {
    const two = await done("cut p1 p2", "cut-one-way p4 p3", "heal p2 p1", "heal");
    assert.deepEqual(two.slice(3), ["heal p1 p2", "heal p2 p1", "heal p4 p3"]);
    const one = await done("cut p1 p2", "cut p3 p4", "heal p4");
    assert.deepEqual(one.slice(4), ["heal p3 p4", "heal p4 p3"]);
  });

  test("loss, rate and the like change what they name in both directions, and nothing else", async () => {
    assert.deepEqual(await done("loss p1 p2 5%"), ["shape p1 p2 loss=0.05", "shape p2 p1 loss=0.05"]);
    assert.deepEqual(await done("rate p1 p2 1mbit", "rate p1 p2 unlimited"), [
      "shape p1 p2 rate=1000000",
      "shape p2 p1 rate=1000000",
      "shape p1 p2 rate=Infinity",
      "shape p2 p1 rate=Infinity",
    ]);
    const sites = await done("corrupt slac fnal 1%");
    assert.equal(sites.length, 2 * 3 * 2, "p2, p3 and clients there, p1 and clients here");
    assert.ok(sites.every((way) => way.endsWith("corrupt=0.01")));
    assert.deepEqual(await done("duplicate p1 p2 50%"), [
      "shape p1 p2 duplicate=0.5",
      "shape p2 p1 duplicate=0.5",
    ]);
  });

  test("a disk is bent and mended; a new one comes when its server is dead", async () => {
    assert.deepEqual(await done("disk-full p1", "disk-slow p1 200ms", "disk-stuck p1", "disk-mended p1"), [
      "bend 1 full",
      "bend 1 slow",
      "bend 1 stuck",
      "bend 1 no more",
    ]);
    assert.deepEqual(await done("disk-wiped p1", "restart p1"), ["kill 1", "wipe 1", "start 1"]);
  });

  test("clocks are moved", async () => {
    assert.deepEqual(await done("clock-jump p1 -5s", "clock-leap site:slac 2s"), [
      "jump 1 -5000000",
      "leap 2 2000000",
      "leap 3 2000000",
    ]);
  });

  test("who ended by itself counts as crashed", async () => {
    assert.deepEqual(await done("crash p1", "restart crashed"), ["kill 1", "start 1", `start ${ENDED}`]);
  });

  test("a site is its servers; restart brings back only who was crashed", async () => {
    assert.deepEqual(await done("pause site:slac", "resume site:slac"), [
      "pause 2",
      "pause 3",
      "resume 2",
      "resume 3",
    ]);
    assert.deepEqual(await done("crash leader", "restart site:caltech"), ["kill 5", "start 5"]);
    assert.deepEqual(await done("crash p1", "crash p2", "restart crashed"), [
      "kill 1",
      "kill 2",
      "start 1",
      "start 2",
      `start ${ENDED}`,
    ]);
  });
});
