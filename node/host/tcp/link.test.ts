// lane: works, 1 s
// How long a link waits: for a connection, between two tries, and once it lives.
import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { suite, type TestContext, test } from "node:test";
import { serverId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import { Corks } from "./corks.ts";
import { type Address, Link, type LinkEvents } from "./link.ts";
import { PeerConnection } from "./peer-connection.ts";
import { Prover } from "./proof.ts";

const PATIENCE = 3000;
const frame = (text: string): Uint8Array => {
  const bytes = Buffer.alloc(4 + text.length);
  bytes.writeUInt32BE(text.length, 0);
  bytes.write(text, 4, "latin1");
  return bytes;
};

/** Two ends of a real connection, each as a server sees it. */
async function pair(t: TestContext) {
  const listener = net.createServer().listen(0, "127.0.0.1");
  t.after(() => listener.close());
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const came = once(listener, "connection") as Promise<[Socket]>;
  const sockets = [net.connect(port, "127.0.0.1"), (await came)[0]];
  return sockets.map((socket) => {
    t.after(() => socket.destroy());
    const greeted = Promise.withResolvers<string>();
    const ended: string[] = [];
    const heard = Promise.withResolvers<string>();
    const corks = new Corks();
    const connection = new PeerConnection(socket, corks, PATIENCE, {
      greeted: (body) => greeted.resolve(Buffer.from(body).toString("latin1")),
      ended: (reason) => {
        ended.push(reason);
        heard.resolve(`ended: ${reason}`);
      },
    });
    const open = (): void =>
      connection.open((bytes) => heard.resolve(Buffer.from(bytes).toString("latin1", 4)));
    return { connection, corks, ended, open, greeted: greeted.promise, heard: heard.promise };
  });
}

suite("the patience of a connection", () => {
  test("ends when frames are read: what lives is not cut", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const [one, other] = await pair(t);
    assert.ok(one !== undefined && other !== undefined);
    one.connection.greet(frame("I am one"));
    other.connection.greet(frame("I am the other"));
    assert.deepEqual(await Promise.all([one.greeted, other.greeted]), ["I am the other", "I am one"]);
    one.open();
    other.open();
    t.mock.timers.tick(20 * PATIENCE);
    one.connection.write(frame("still here"));
    one.corks.flush();
    assert.equal(await other.heard, "still here");
    assert.deepEqual([one.ended, other.ended], [[], []]);
  });

  test("is over for who was greeted and never opened, and it is told once", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const [one, other] = await pair(t);
    assert.ok(one !== undefined && other !== undefined);
    other.connection.greet(frame("I am the other"));
    await one.greeted;
    t.mock.timers.tick(PATIENCE - 1);
    assert.deepEqual(one.ended, []);
    t.mock.timers.tick(1);
    assert.deepEqual(one.ended, [`no connection within ${PATIENCE} ms`]);
    t.mock.timers.tick(PATIENCE);
    assert.equal(one.ended.length, 1);
  });

  test("is nobody's any more when the connection was ended", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const [one] = await pair(t);
    assert.ok(one !== undefined);
    one.connection.end();
    t.mock.timers.tick(2 * PATIENCE);
    assert.deepEqual(one.ended, []);
  });
});

/** Dials as often as asked for, each pause being over at once, and tells how long the pauses were to be. */
async function pauses(t: TestContext, count: number, change: Partial<LinkEvents> = {}): Promise<number[]> {
  const asked: number[] = [];
  const enough = Promise.withResolvers<void>();
  const { setTimeout: real } = globalThis;
  t.mock.method(globalThis, "setTimeout", (call: () => void, ms: number) => {
    if (ms === PATIENCE) return real(call, ms);
    asked.push(ms);
    if (asked.length >= count) enough.resolve();
    return real(asked.length >= count ? () => {} : call, 0);
  });
  const nobody = net.createServer().listen(0, "127.0.0.1");
  await once(nobody, "listening");
  const { port } = nobody.address() as AddressInfo;
  await new Promise((resolve) => nobody.close(resolve));
  const link = new Link({
    self: serverId(2),
    peer: serverId(1),
    address: { host: "127.0.0.1", port },
    cluster: "test",
    life: 1,
    corks: new Corks(),
    prover: new Prover(null),
    connect: ({ host, port: to }: Address) => net.connect(to, host),
    random: new Random(5),
    queueLimit: 1 << 20,
    events: { up: () => {}, frame: () => {}, down: () => {}, failing: () => {}, ...change },
  });
  link.begin();
  await enough.promise;
  link.stop(true);
  return asked;
}

suite("between two tries", () => {
  test("a link waits longer each time, up to a quarter of a second, and never without chance", async (t) => {
    const asked = await pauses(t, 40);
    for (const [index, ms] of asked.entries()) {
      const most = Math.min(10 * 2 ** index, 250);
      assert.ok(ms >= most / 2 && ms <= most, `pause ${index}: ${ms} ms, at most ${most}`);
    }
    assert.ok(new Set(asked.slice(5)).size > 30, "servers that fail together do not try together");
  });

  test("the same trouble is told once", async (t) => {
    const told: string[] = [];
    await pauses(t, 6, { failing: (reason) => told.push(reason) });
    assert.equal(told.length, 1);
    assert.match(told[0] ?? "", /ECONNREFUSED/);
  });
});
