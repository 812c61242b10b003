import assert from "node:assert/strict";
import net, { type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import type { ClientId } from "../../core/identity.ts";
import { ClientListener, type ClientListenerOptions, type ClientService } from "./client-listener.ts";

/** Echoes frames, answers words, and writes down what happened. */
class Echo implements ClientService {
  readonly story: string[] = [];
  readonly ids: ClientId[] = [];
  port!: ClientListener;
  #changed = Promise.withResolvers<void>();

  static async open(t: TestContext, options: Partial<ClientListenerOptions> = {}): Promise<Echo> {
    const echo = new Echo();
    echo.port = await ClientListener.open(echo, { address: { host: "127.0.0.1", port: 0 }, ...options });
    t.after(() => echo.port.stop());
    return echo;
  }

  opened(client: ClientId): void {
    this.ids.push(client);
    this.#tell(`${client} opened`);
  }

  frame(client: ClientId, frame: Uint8Array): void {
    this.#tell(`${client} says ${Buffer.from(frame).toString("latin1", 4)}`);
    this.port.send(client, frame);
  }

  word(client: ClientId, word: string): void {
    this.#tell(`${client} asks ${word}`);
    this.port.send(client, Buffer.from(`answer to ${word}`));
    this.port.close(client);
  }

  closed(client: ClientId): void {
    this.#tell(`${client} closed`);
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#changed.promise;
  }

  client(): Socket {
    return net.connect({ host: "127.0.0.1", port: this.port.port }).on("error", () => {});
  }

  #tell(line: string): void {
    this.story.push(line);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const frame = (text: string): Buffer => {
  const bytes = Buffer.alloc(4 + text.length);
  bytes.writeUInt32BE(text.length);
  bytes.write(text, 4, "latin1");
  return bytes;
};

async function readAll(socket: Socket): Promise<string> {
  let text = "";
  for await (const bytes of socket) text += (bytes as Buffer).toString("latin1");
  return text;
}

test("frames arrive whole however they were cut, and answers come back", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  const bytes = Buffer.concat([frame("first"), frame("second")]);
  socket.setNoDelay(true);
  for (const byte of bytes) {
    socket.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await echo.until(() => echo.story.length === 3);
  socket.end();
  assert.equal(await readAll(socket), bytes.toString("latin1"));
  await echo.until(() => echo.story.length === 4);
  assert.deepEqual(echo.story, ["1 opened", "1 says first", "1 says second", "1 closed"]);
});

test("four letters at the beginning are a question, answered and closed", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  socket.write("ruokruok\n");
  await echo.until(() => echo.story.includes("1 asks ruok"));
  socket.write("ruok\n");
  assert.equal(await readAll(socket), "answer to ruok");
  await echo.until(() => echo.story.includes("1 closed"));
  assert.deepEqual(echo.story, ["1 opened", "1 asks ruok", "1 closed"]);
});

for (const [what, bytes] of [
  ["an announced length of 2 GB", Buffer.of(0x7f, 0xff, 0xff, 0xff)],
  ["a negative length", Buffer.of(0xff, 0xff, 0xff, 0xff)],
  ["a frame larger than allowed", Buffer.of(0, 0x20, 0, 0)],
  ["a frame of no bytes", Buffer.of(0, 0, 0, 0)],
] as const) {
  test(`${what} closes that connection, and no other`, async (t) => {
    const echo = await Echo.open(t);
    const good = echo.client();
    good.write(frame("one"));
    const bad = echo.client();
    bad.write(bytes);
    assert.equal(await readAll(bad), "");
    good.end(frame("two"));
    assert.equal(await readAll(good), frame("one").toString("latin1") + frame("two").toString("latin1"));
  });
}

test("who opens a connection and says nothing whole is closed in the end", async (t) => {
  const echo = await Echo.open(t, { patienceMs: 20 });
  const silent = echo.client();
  const slow = echo.client();
  slow.write(frame("never finished").subarray(0, 9));
  await Promise.all([readAll(silent), readAll(slow)]);
  await echo.until(() => echo.port.count === 0);
});

test("a client that asks and does not read is not read from, until it reads", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  socket.pause();
  const size = 500_000;
  const count = 200;
  for (let number = 0; number < count; number++) socket.write(frame("x".repeat(size)));
  await echo.until(() => echo.story.length > 10);
  for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(echo.story.length < count, "it was read to the end");
  let received = 0;
  socket.on("data", (bytes) => {
    received += bytes.length;
    if (received === count * (size + 4)) socket.end();
  });
  socket.resume();
  await echo.until(() => echo.story.includes("1 closed"));
  assert.equal(received, count * (size + 4));
});

test("a held client is read from again when it is released", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  await echo.until(() => echo.ids.length === 1);
  const [id] = echo.ids as [ClientId];
  echo.port.hold(id);
  socket.write(frame("later"));
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(echo.story, ["1 opened"]);
  echo.port.release(id);
  await echo.until(() => echo.story.includes("1 says later"));
  socket.destroy();
});

test("more connections than allowed from one address are closed at once", async (t) => {
  const echo = await Echo.open(t, { connectionsPerAddress: 2 });
  const sockets = [echo.client(), echo.client()];
  await echo.until(() => echo.port.count === 2);
  assert.equal(await readAll(echo.client()), "");
  sockets[0]?.destroy();
  await echo.until(() => echo.port.count === 1);
  const third = echo.client();
  await echo.until(() => echo.port.count === 2);
  for (const socket of [...sockets, third]) socket.destroy();
});
