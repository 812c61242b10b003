// lane: waits, 15 s
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { suite } from "node:test";
import { setTimeout } from "node:timers/promises";
import { parseTopology } from "../topology/topology.ts";
import type { Running } from "./infrastructure/infrastructure.ts";
import { openTestbed, type Testbed } from "./testbed.ts";

const TWO = "sites:\n  a: { servers: [p1], load: 1 }\n  b: { servers: [p2], load: 0 }\nlinks:\n";
const NEAR = `${TWO}  - { between: [a, b], rtt: 10ms }\n`;

const open = (yaml: string, rest: object = {}): Promise<Testbed> =>
  openTestbed({ topology: parseTopology(yaml, "test.yaml"), ...rest });

/** A folder for logs that goes with the test. */
function logs(): Disposable & { of(name: string): string; text(name: string): string } {
  const folder = mkdtempSync(join(tmpdir(), "polebench-test-"));
  const of = (name: string): string => join(folder, `${name}.log`);
  return {
    of,
    text: (name) => readFileSync(of(name), "utf8"),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** Gives up after a minute, which is far beyond all that is waited for: a hang should say where it hangs. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  while (!(await condition())) await setTimeout(10, undefined, { signal });
}

const script = (source: string): [string, ...string[]] => [process.execPath, "--eval", source];

const LISTENER = `
  const server = require("net").createServer((socket) => {
    socket.on("error", () => {});
    console.log("accepted");
  });
  server.listen(5000, () => console.log("ready"));`;
const caller = (address: string): string => `
  const socket = require("net").connect(5000, "${address}", () => console.log("connected"));
  socket.on("close", () => console.log("closed"));
  socket.on("error", () => {});
  setInterval(() => socket.write("are you there?"), 20);`;

suite("processes on machines", () => {
  test("a process that crashes is noticed: its kernel closes its connections", async () => {
    using log = logs();
    await using testbed = await open(NEAR);
    const server = await testbed.start("p2", { command: script(LISTENER), log: log.of("p2") });
    await until(() => log.text("p2").includes("ready"));
    await testbed.start("p1", { command: script(caller(testbed.machine("p2").address)), log: log.of("p1") });
    await until(() => log.text("p1").includes("connected"));
    assert.deepEqual(await server.kill(), { code: null, signal: "SIGKILL" });
    await until(() => log.text("p1").includes("closed"));
  });

  test("a machine that crashes is not: nothing comes any more, until it is back", async () => {
    using log = logs();
    await using testbed = await open(NEAR);
    const server = await testbed.start("p2", { command: script(LISTENER), log: log.of("p2") });
    await until(() => log.text("p2").includes("ready"));
    await testbed.start("p1", { command: script(caller(testbed.machine("p2").address)), log: log.of("p1") });
    // Before it is accepted there is nothing at p2 that could notice the kill.
    await until(() => log.text("p2").includes("accepted"));
    await testbed.isolate("p2");
    await server.kill();
    const stopped = async (from: string): Promise<number> =>
      (await testbed.network.report()).ways.find((way) => way.from === from)?.cut ?? 0;
    await until(async () => (await stopped("p2")) > 0 && (await stopped("p1")) > 2);
    assert.ok(!log.text("p1").includes("closed"));
    await testbed.rejoin("p2");
    // The restarted kernel knows nothing of the connection and says so.
    await until(() => log.text("p1").includes("closed"));
  });

  test("a paused process holds still, and goes on where it was", async () => {
    using log = logs();
    await using testbed = await open(NEAR);
    const counting = script("let count = 0; setInterval(() => console.log(++count), 1)");
    const running = await testbed.start("p1", { command: counting, log: log.of("p1") });
    await until(() => log.text("p1").includes("5\n"));
    await running.pause();
    const { processor } = (await running.usage()) ?? assert.fail("it runs");
    const before = log.text("p1");
    await testbed.certify({ rounds: 10 });
    assert.equal(log.text("p1"), before);
    assert.equal((await running.usage())?.processor, processor);
    await running.resume();
    await until(() => log.text("p1").length > before.length);
  });
});

suite("multicast", () => {
  const member = (group: string, own: string): string => `
    const socket = require("dgram").createSocket("udp4");
    socket.on("message", (message) => console.log(String(message)));
    socket.bind(6000, () => { socket.addMembership("${group}", "${own}"); console.log("ready"); });`;
  const announcer = (group: string, own: string, count: number): string => `
    const socket = require("dgram").createSocket("udp4");
    socket.bind(0, () => {
      socket.setMulticastInterface("${own}");
      for (let n = 0; n < ${count}; n++) socket.send("n" + n, 6000, "${group}");
      setInterval(() => socket.send("end", 6000, "${group}"), 5);
    });`;

  test("goes to the machines that have joined, and to no other", async () => {
    using log = logs();
    await using testbed = await open(NEAR);
    const group = "239.7.7.7";
    const sentTo = async (name: string): Promise<number> => {
      const { ways } = await testbed.network.report();
      return ways.find(({ from, to }) => from === "p1" && to === name)?.packets ?? 0;
    };
    const join = async (name: string): Promise<Running> => {
      const command = script(member(group, testbed.machine(name).address));
      const running = await testbed.start(name, { command, log: log.of(name) });
      await until(() => log.text(name).includes("ready"));
      return running;
    };
    const before = await sentTo("clients-a");
    const joined = await join("p2");
    const command = script(announcer(group, testbed.machine("p1").address, 100));
    await testbed.start("p1", { command, log: log.of("p1") });
    await until(() => log.text("p2").includes("end"));
    assert.equal(await sentTo("clients-a"), before, "nothing goes where nobody has joined");
    await joined.kill();
    await until(async () => {
      const last = await sentTo("p2");
      await setTimeout(50);
      return (await sentTo("p2")) === last;
    });
    await join("clients-a");
    await until(() => log.text("clients-a").includes("end"));
  });

  async function received(loss: string): Promise<readonly string[]> {
    using log = logs();
    await using testbed = await open(`multicastLoss: ${loss}\n${TWO}  - { between: [a, b], rtt: 4ms }\n`);
    const group = "239.7.7.7";
    for (const name of ["p2", "clients-a"]) {
      const { address } = testbed.machine(name);
      await testbed.network.shape("p1", name, { loss: 0.5 });
      await testbed.start(name, { command: script(member(group, address)), log: log.of(name) });
      await until(() => log.text(name).includes("ready"));
    }
    const command = script(announcer(group, testbed.machine("p1").address, 100));
    await testbed.start("p1", { command, log: log.of("p1") });
    await until(() => ["p2", "clients-a"].every((name) => log.text(name).includes("end")));
    return ["p2", "clients-a"].map((name) => log.text(name).replaceAll(/ready\n|end\n/g, ""));
  }

  test("reaches whoever has joined; losses can be each receiver's own", async () => {
    const [one = "", other = ""] = await received("independent");
    assert.ok(one.length > 20 && other.length > 20);
    assert.notEqual(one, other);
  });

  test("or shared by all receivers of one message", async () => {
    const [one, other] = await received("shared");
    assert.ok(one !== undefined && one.length > 20);
    assert.equal(one, other);
  });
});

suite("two testbeds at the same time", () => {
  test("have the same addresses and do not meet", async () => {
    using log = logs();
    await using first = await open(NEAR);
    await using second = await open(`${TWO}  - { between: [a, b], rtt: 40ms }\n`);
    assert.equal(first.machine("p2").address, second.machine("p2").address);
    await first.start("p2", { command: script(LISTENER), log: log.of("first") });
    await until(() => log.text("first").includes("ready"));
    const { address } = second.machine("p2");
    const refused = script(
      `require("net").connect(5000, "${address}").on("error", (error) => console.log(error.code))`,
    );
    const caller = await second.start("p1", { command: refused, log: log.of("second") });
    await caller.exited;
    assert.equal(log.text("second"), "ECONNREFUSED\n");
  });
});
