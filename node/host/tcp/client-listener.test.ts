import assert from "node:assert/strict";
import net, { type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { type ClientId, clientId } from "../../core/identity.ts";
import { ClientListener, type ClientListenerOptions, type ClientService } from "./client-listener.ts";

/** Echoes what it receives, and writes down what happened. */
class Echo implements ClientService {
  readonly story: string[] = [];
  port!: ClientListener;
  #changed = Promise.withResolvers<void>();
  total = 0;

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

test("a client that asks and does not read is not read from, until it reads", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  socket.pause();
  const size = 100_000_000;
  socket.write(Buffer.alloc(size));
  await echo.until(() => echo.total > 4_000_000);
  for (let turns = 0; turns < 500; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(echo.total < size / 2, `${echo.total} bytes were read`);
  let answered = 0;
  socket.on("data", (bytes) => {
    answered += bytes.length;
    if (answered === size) socket.end();
  });
  socket.resume();
  await echo.until(() => echo.story.includes("1 closed"));
  assert.equal(answered, size);
});

test("a client to whom ever more is sent, and who never reads, is closed", async (t) => {
  const echo = await Echo.open(t);
  const socket = echo.client();
  socket.pause();
  await echo.until(() => echo.port.count === 1);
  for (let sent = 0; sent < 100; sent++) echo.port.send(first, Buffer.alloc(1 << 20));
  await echo.until(() => echo.story.includes("1 closed"));
  socket.destroy();
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
