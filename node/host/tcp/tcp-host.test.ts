import assert from "node:assert/strict";
import net from "node:net";
import { type TestContext, test } from "node:test";
import { MemoryDisk } from "../../testing/store/memory-disk.ts";
import { anyPort, one, Subject, three, two } from "../../testing/host/tcp-subject.ts";

const small = (t: TestContext): Promise<Subject> =>
  Subject.start(
    t,
    one,
    new Map([
      [one, anyPort],
      [two, anyPort],
      [three, anyPort],
    ]),
  );

test("a server of another cluster is sent away, and both sides say why", async (t) => {
  const first = await small(t);
  const stranger = await Subject.start(
    t,
    two,
    new Map([
      [one, first.address],
      [two, anyPort],
    ]),
    {
      cluster: "other",
    },
  );
  await stranger.until(() => stranger.reasons("failing").length > 0);
  const objection = 'this is cluster "test", and server 2 is of cluster "other"';
  assert.equal(first.reasons("refused")[0], objection);
  assert.equal(stranger.reasons("failing")[0], `the other side says: ${objection}`);
  assert.ok(!first.isConnected() && !stranger.isConnected());
});

test("a mistyped address reaches the wrong server, which says so", async (t) => {
  const first = await small(t);
  const third = await Subject.start(
    t,
    three,
    new Map([
      [two, first.address],
      [three, anyPort],
    ]),
  );
  await third.until(() => third.reasons("failing").length > 0);
  assert.match(third.reasons("failing")[0] ?? "", /this is server 1, and server 3 wants server 2/);
});

test("garbage instead of a greeting is sent away; the servers go on", async (t) => {
  const first = await small(t);
  for (const garbage of [
    "GET / HTTP/1.1\r\n\r\n",
    "\0\0\0\x04\xff\xff\xff\xff",
    "\x7f\xff\xff\xff",
    "\0\0\0\0",
  ]) {
    const before = first.reasons("refused").length;
    const socket = net.connect(first.address).on("error", () => {});
    socket.write(garbage, "latin1");
    await first.until(() => first.reasons("refused").length > before);
  }
  const second = await Subject.start(
    t,
    two,
    new Map([
      [one, first.address],
      [two, anyPort],
    ]),
  );
  await second.until(() => second.isConnected());
  await first.until(() => first.isConnected());
});

test("a server that takes nothing is given up before it fills the memory", async (t) => {
  const first = await small(t);
  const second = await Subject.start(
    t,
    two,
    new Map([
      [one, first.address],
      [two, anyPort],
    ]),
    {
      queueLimit: 1 << 20,
    },
  );
  await second.until(() => second.isConnected());
  const message = { channel: "bulk", number: 1, padding: 400_000 } as const;
  second.host.request(Array.from({ length: 4 }, () => ({ kind: "send", to: [one], message })));
  assert.equal(second.reasons("unreachable")[0], "it takes nothing: 1 MiB are waiting for it");
  const kinds = (): string[] => second.inputs.map(({ kind }) => kind);
  await second.until(() => kinds().lastIndexOf("connected") > kinds().indexOf("unreachable"));
});

test("a disk that fails stops the host, once, with the reason", async (t) => {
  const disk = new MemoryDisk();
  const first = await small(t);
  const second = await Subject.start(
    t,
    two,
    new Map([
      [one, first.address],
      [two, anyPort],
    ]),
    { disk },
  );
  await first.until(() => first.isConnected());
  disk.failWhen((operation) => (operation === "write" ? new Error("EIO: i/o error, write") : null));
  second.host.request([{ kind: "append", records: [{ kind: "epoch", epoch: 1 as never }] }]);
  await second.until(() => second.failures.length > 0);
  assert.deepEqual(second.failures, ["disk: EIO: i/o error, write"]);
  await first.until(() => first.inputs.some(({ kind }) => kind === "unreachable"));
  const inputs = second.inputs.length;
  second.host.request([]);
  assert.equal(second.inputs.length, inputs, "it takes no input any more");
});

test("a port that is taken is an error at the start, and leaves nothing open", async (t) => {
  const first = await small(t);
  await assert.rejects(Subject.start(t, two, new Map([[two, first.address]])), /EADDRINUSE/);
});

test("when somebody has set the wall clock, the automaton is told before anything else", async (t) => {
  const first = await small(t);
  const told = (): string[] => first.inputs.map(({ kind }) => kind);
  first.host.request([]);
  await first.until(() => told().at(-1) === "turn");
  assert.ok(!told().includes("clock"));
  const shown = Date.now() + 3_600_000;
  t.mock.method(Date, "now", () => shown);
  first.host.request([]);
  assert.deepEqual(told().slice(-2), ["clock", "request"]);
  const last = first.inputs.at(-2);
  assert.equal(last?.kind === "clock" ? last.timeOfDay : null, shown);
});
