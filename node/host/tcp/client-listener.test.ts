import assert from "node:assert/strict";
import net, { type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { type ClientId, clientId } from "../../core/identity.ts";
import {
  ClientListener,
  type ClientListenerOptions,
  type ClientService,
  type Written,
} from "./client-listener.ts";

/** Echoes what it receives, and writes down what happened. */
class Echo implements ClientService {
  readonly story: string[] = [];
  port!: ClientListener;
  #changed = Promise.withResolvers<void>();
  total = 0;
  readonly written = new Map<ClientId, number>();
  /** How often it was told within a turn what it had been told in already. */
  toldAgain = 0;
  #isTold = false;

  static async open(t: TestContext, options: Partial<ClientListenerOptions> = {}): Promise<Echo> {
    const echo = new Echo();
    echo.port = await ClientListener.open(echo, { address: { host: "127.0.0.1", port: 0 }, ...options });
    t.after(() => echo.port.stop());
    return echo;
  }

  opened(client: ClientId): void {
    this.#tell(`${client} opened`);
  }

  received(client: ClientId, bytes: Uint8Array): void {
    this.total += bytes.length;
    this.port.send(client, bytes);
    this.#tell(`${client} says ${Buffer.from(bytes).toString("latin1", 0, 20)}`);
  }

  wrote(written: readonly Written[]): void {
    if (this.#isTold) this.toldAgain += 1;
    this.#isTold = true;
    setImmediate(() => (this.#isTold = false));
    for (const { client, bytes } of written) {
      this.written.set(client, (this.written.get(client) ?? 0) + bytes);
      this.#tell(`${client} took ${bytes}`);
    }
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

const first = clientId(1);

async function readAll(socket: Socket): Promise<string> {
  let text = "";
  for await (const bytes of socket) text += (bytes as Buffer).toString("latin1");
  return text;
}

test("what a client says arrives, and answers come back", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  socket.end("hello");
  assert.equal(await readAll(socket), "hello");
  await echo.until(() => echo.story.length === 3);
  assert.deepEqual(echo.story, ["1 opened", "1 says hello", "1 closed"]);
});

test("closing lets the answer go out first, and nothing more come in", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  await echo.until(() => echo.port.count === 1);
  echo.port.send(first, Buffer.from("go away"));
  echo.port.close(first);
  echo.port.send(first, Buffer.from("and stay there"));
  socket.write("but");
  assert.equal(await readAll(socket), "go away");
  await echo.until(() => echo.port.count === 0);
  assert.deepEqual(echo.story, ["1 opened", "1 closed"]);
});

const MEGABYTE = 1 << 20;

test("what a client took is told: not each time, but all of it", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  socket.resume();
  await echo.until(() => echo.port.count === 1);
  for (let sent = 0; sent < 200; sent++) {
    echo.port.send(first, Buffer.alloc(100));
    echo.port.flush();
  }
  const told = echo.story.filter((line) => line.includes("took"));
  assert.deepEqual(told, Array<string>(3).fill("1 took 6400"));
  socket.destroy();
});

test("that a client takes nothing is told, and what it takes once it reads", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  socket.pause();
  await echo.until(() => echo.port.count === 1);
  const size = 32 * MEGABYTE;
  for (let sent = 0; sent < 32; sent++) echo.port.send(first, Buffer.alloc(MEGABYTE));
  await echo.until(() => echo.story.some((line) => line.startsWith("1 took")));
  for (let turns = 0; turns < 500; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok((echo.written.get(first) ?? 0) < size, "all was taken although nobody reads");
  echo.port.send(first, Buffer.alloc(10));
  echo.port.flush();
  assert.equal(echo.story.at(-1), "1 took 0");
  socket.resume();
  await echo.until(() => echo.written.get(first) === size + 10);
  socket.destroy();
});

test("what clients take after all is told once in a turn, of all of them together", async (t) => {
  const echo = await Echo.open(t);
  const sockets = Array.from({ length: 20 }, () => echo.client().pause());
  await echo.until(() => echo.port.count === 20);
  const clients = sockets.map((_, index) => clientId(index + 1));
  for (const client of clients) {
    for (let sent = 0; sent < 8; sent++) echo.port.send(client, Buffer.alloc(MEGABYTE));
  }
  for (const socket of sockets) socket.resume();
  await echo.until(() => clients.every((client) => echo.written.get(client) === 8 * MEGABYTE));
  assert.equal(echo.toldAgain, 0);
  for (const socket of sockets) socket.destroy();
});

test("a client that is cut off is gone at once, with what it did not read", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.pause();
  await echo.until(() => echo.port.count === 1);
  for (let sent = 0; sent < 32; sent++) echo.port.send(first, Buffer.alloc(MEGABYTE));
  echo.port.flush();
  assert.equal(echo.port.cutOff(first), "127.0.0.1");
  await echo.until(() => echo.story.includes("1 closed"));
  assert.equal(echo.port.count, 0);
  socket.resume();
  await closed;
  assert.ok(socket.bytesRead < 32 * MEGABYTE, `${socket.bytesRead} bytes came all the same`);
});

test("a held client is read from again when it is released", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  await echo.until(() => echo.port.count === 1);
  echo.port.hold(first);
  socket.write("later");
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(echo.story, ["1 opened"]);
  echo.port.release(first);
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
