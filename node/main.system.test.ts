// lane: works, 3 s
import { utf8Bytes } from "./core/utf8.ts";
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePorts } from "./host/tcp/free-ports.ts";
import { frameOf } from "./front/frame.ts";
import { requestFrame } from "./testing/front/front-stage.ts";
import { writeConnectRequest } from "./wire/client/handshake.ts";
import { readReplyHeader } from "./wire/client/header.ts";
import { JuteReader, JuteWriter } from "./wire/client/jute.ts";
import { type ClientReply, type ClientRequest, readReply } from "./wire/client/request.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const HOST = "127.0.0.1";

/** One server process. */
class ServerProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;
  said = "";

  constructor(...words: string[]) {
    this.#child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (bytes: Buffer) => {
        this.said += bytes.toString();
      });
    }
    this.ended = new Promise((resolve) => this.#child.once("close", resolve));
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    this.#child.kill(signal);
    return this.ended;
  }
}

/** What a socket says until it is closed. */
async function ask(port: number, word: string): Promise<string> {
  const socket = net.connect({ host: HOST, port });
  socket.end(word);
  let text = "";
  try {
    for await (const bytes of socket) text += String(bytes);
  } catch {
    return "";
  }
  return text;
}

const modeOf = async (port: number): Promise<string | undefined> =>
  /^Mode: (\w+)$/m.exec(await ask(port, "srvr"))?.[1];

/** The least that is a client: a session, and one question at a time. */
class Client {
  readonly #socket: net.Socket;
  #bytes = Buffer.alloc(0);
  #arrived = Promise.withResolvers<void>();
  #xid = 0;

  constructor(port: number) {
    this.#socket = net.connect({ host: HOST, port });
    this.#socket.on("error", () => {});
    this.#socket.on("data", (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
      this.#arrived.resolve();
      this.#arrived = Promise.withResolvers();
    });
  }

  async greet(): Promise<void> {
    const wish = {
      lastZxidSeen: 0,
      timeoutMs: 10_000,
      session: 0,
      password: new Uint8Array(16),
      readOnly: false,
    };
    this.#socket.write(frameOf(writeConnectRequest(new JuteWriter(), wish).finish()));
    await this.#frame();
  }

  async ask(request: ClientRequest): Promise<ClientReply | null> {
    this.#socket.write(requestFrame(request, ++this.#xid));
    const reader = new JuteReader(await this.#frame());
    const { error } = readReplyHeader(reader);
    assert.equal(error, 0);
    return readReply(request.kind, reader);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #frame(): Promise<Buffer> {
    while (this.#bytes.length < 4 || this.#bytes.length < 4 + this.#bytes.readUInt32BE(0)) {
      await this.#arrived.promise;
    }
    const end = 4 + this.#bytes.readUInt32BE(0);
    const frame = this.#bytes.subarray(4, end);
    this.#bytes = this.#bytes.subarray(end);
    return frame;
  }
}

const create = (name: string, data: string): ClientRequest => ({
  kind: "create",
  path: name,
  data: utf8Bytes(data),
  acl: [{ permissions: 31, id: { scheme: "world", id: "anyone" } }],
  flags: 0,
  ttl: -1,
});

function folderFor(t: TestContext): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-main-"));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function until<T>(what: string, found: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
    const value = await found();
    if (value !== undefined) return value;
  }
  return assert.fail(`not within 30 s: ${what}`);
}

test("three servers: what was written outlives the leader, and each ends as asked", async (t) => {
  const folder = folderFor(t);
  const ports = await freePorts(6);
  const [clients, peers] = [ports.slice(0, 3), ports.slice(3)];
  const servers = [0, 1, 2].map((index) => {
    const dataDir = path.join(folder, String(index + 1));
    fs.mkdirSync(dataDir);
    fs.writeFileSync(path.join(dataDir, "myid"), `${index + 1}\n`);
    const lines = [
      `dataDir=${dataDir}`,
      `clientPort=${clients[index]}`,
      "4lw.commands.whitelist=*",
      ...peers.map((port, peer) => `server.${peer + 1}=${HOST}:${port}:${port}`),
    ];
    fs.writeFileSync(path.join(dataDir, "zoo.cfg"), lines.join("\n"));
    const server = new ServerProcess(path.join(dataDir, "zoo.cfg"));
    t.after(() => server.end("SIGKILL"));
    return server;
  });
  const leading = (): Promise<number> =>
    until("one leads", async () => {
      const modes = await Promise.all(clients.map((port) => modeOf(port)));
      return modes.includes("leader") ? modes.indexOf("leader") : undefined;
    });

  const first = await leading();
  const writer = new Client(clients[first] as number);
  await writer.greet();
  await writer.ask(create("/kept", "what was said"));
  writer.close();
  await servers[first]?.end("SIGKILL");

  const second = await leading();
  assert.notEqual(second, first);
  const reader = new Client(clients[second] as number);
  await reader.greet();
  const reply = await reader.ask({ kind: "getData", path: "/kept", watch: false });
  assert.equal(reply?.kind === "getData" && Buffer.from(reply.data ?? []).toString(), "what was said");
  reader.close();

  assert.match(servers[second]?.said ?? "", /"event":"serving".*ms after it began to look: election/);
  for (const [index, server] of servers.entries()) {
    if (index !== first) assert.equal(await server.end("SIGTERM"), 0, server.said);
  }
});

test("a wrong configuration: each mistake in one line, exit code 64", async () => {
  const server = new ServerProcess("--heartbeat", "soon", "--client-port", "0");
  assert.equal(await server.ended, 64);
  assert.equal(
    server.said,
    '--client-port: "0" should be a whole number from 1 to 65535\n' +
      '--heartbeat: "soon" should be a duration such as 50ms, 2s or 1m\n',
  );
});

test("a port for servers that everybody reaches, with no secret: one line, exit code 64", async (t) => {
  const servers = "1=0.0.0.0:2888,2=127.0.0.1:2888";
  const server = new ServerProcess("--data-dir", folderFor(t), "--servers", servers, "--id", "1");
  assert.equal(await server.ended, 64);
  assert.match(server.said, /^server\.1=0\.0\.0\.0:2888: strangers could speak for servers there;.*\n$/);
});

test("what a client proves with is in no log, however much is told", async (t) => {
  const [port = 0] = await freePorts(1);
  const folder = folderFor(t);
  const words = ["--data-dir", folder, "--client-port", String(port), "--log-level", "trace"];
  const secret = path.join(folder, "secret");
  fs.writeFileSync(secret, "the secret of servers", { mode: 0o644 });
  const server = new ServerProcess(...words, "--secret-file", secret);
  t.after(() => server.end("SIGKILL"));
  await until("it serves", async () => ((await modeOf(port)) === undefined ? undefined : true));
  const client = new Client(port);
  await client.greet();
  await client.ask({ kind: "auth", scheme: "digest", credentials: utf8Bytes("user:correct horse") });
  await client.ask(create("/mine", "of the user"));
  client.close();
  assert.equal(await server.end("SIGTERM"), 0);
  assert.match(server.said, /"event":"ending"/);
  assert.match(server.said, /secret: everybody on this machine can read it; chmod 600/);
  assert.doesNotMatch(server.said, /correct horse|the secret of servers/);
});

test("a port that is taken: the reason, exit code 3", async (t) => {
  const holder = net.createServer();
  await new Promise<void>((resolve) => holder.listen(0, "0.0.0.0", resolve));
  t.after(() => holder.close());
  const { port } = holder.address() as net.AddressInfo;
  const server = new ServerProcess("--data-dir", folderFor(t), "--client-port", String(port));
  assert.equal(await server.ended, 3);
  assert.match(server.said, /EADDRINUSE/);
});

test("two servers on one folder: the second is refused, in a line, with exit code 3", async (t) => {
  const folder = folderFor(t);
  const ports = await freePorts(2);
  const [first, second] = ports.map(
    (port) => new ServerProcess("--data-dir", folder, "--client-port", String(port)),
  ) as [ServerProcess, ServerProcess];
  t.after(() => Promise.all([first.end("SIGKILL"), second.end("SIGKILL")]));
  // Whichever comes first has it.
  const refused = await Promise.race([first, second].map((server) => server.ended.then(() => server)));
  assert.equal(await refused.ended, 3);
  assert.match(refused.said, /"msg":".*: another server is running here\. Stop it, or give/);
});

test("pages for those who watch over it: what it serves, what it is, and that it cannot serve", async (t) => {
  const [port = 0, pages = 0, numbers = 0, lonely = 0, peer = 0, other = 0] = await freePorts(6);
  const at = (clientPort: number): string[] => [
    "--data-dir",
    folderFor(t),
    "--client-port",
    String(clientPort),
    "--admin-server",
    "yes",
    "--admin-port",
    String(pages),
  ];
  const prometheus = ["--metrics", "prometheus", "--metrics-port", String(numbers)];
  const server = new ServerProcess(...at(port), ...prometheus, "--pages-token", "known to Prometheus");
  t.after(() => server.end("SIGKILL"));
  await until("it serves", async () => ((await modeOf(port)) === undefined ? undefined : true));
  const headers = { authorization: "Bearer known to Prometheus" };
  const page = (name: string) => fetch(`http://${HOST}:${pages}/commands/${name}`, { headers });
  const { server_stats: stats } = (await (await page("srvr")).json()) as { server_stats: object };
  assert.equal((stats as { server_state: string }).server_state, "standalone");
  const told = await fetch(`http://${HOST}:${numbers}/metrics`, { headers });
  assert.equal(told.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.match(await told.text(), /^# TYPE znode_count gauge\nznode_count 4$/m);
  for (const nowhere of [`${pages}/`, `${pages}/commands/../x`, `${numbers}/commands`]) {
    assert.equal((await fetch(`http://${HOST}:${nowhere}`, { headers })).status, 404, nowhere);
  }
  for (const closed of [`${pages}/commands/srvr`, `${numbers}/metrics`]) {
    assert.equal((await fetch(`http://${HOST}:${closed}`)).status, 401, closed);
  }

  const second = new ServerProcess(...at(lonely));
  t.after(() => second.end("SIGKILL"));
  assert.equal(await second.ended, 3);
  assert.match(second.said, /EADDRINUSE/);
  assert.equal(await server.end("SIGTERM"), 0);

  const servers = `1=${HOST}:${peer},2=${HOST}:${other}`;
  const alone = new ServerProcess(...at(lonely), "--servers", servers, "--id", "1");
  t.after(() => alone.end("SIGKILL"));
  const answer = await until("it answers", () => page("srvr").catch(() => undefined));
  assert.equal(answer.status, 503);
  assert.deepEqual(await answer.json(), {
    command: "srvr",
    error: "This ZooKeeper instance is not currently serving requests",
  });
  assert.equal(((await (await page("zabstate")).json()) as { zabstate: string }).zabstate, "election");
});

test("SIGTERM ends a server although a client neither reads nor goes", async (t) => {
  const [port = 0] = await freePorts(1);
  const server = new ServerProcess("--data-dir", folderFor(t), "--client-port", String(port));
  t.after(() => server.end("SIGKILL"));
  await until("it serves", async () => ((await modeOf(port)) === undefined ? undefined : true));
  const stubborn = net.connect({ host: HOST, port, allowHalfOpen: true }).pause();
  stubborn.on("error", () => {});
  await new Promise((resolve) => stubborn.once("connect", resolve));
  assert.equal(await server.end("SIGTERM"), 0);
  stubborn.destroy();
});

test("--help tells what there is, exit code 0", async () => {
  const server = new ServerProcess("--help");
  assert.equal(await server.ended, 0);
  assert.match(server.said, /^usage: main\.ts \[zoo\.cfg\] \[flags\]/);
});
