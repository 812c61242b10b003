// One stranger's connection against three servers: whatever it says, the others go on and so does its server.

import { utf8Bytes } from "./core/utf8.ts";
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
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
import { make } from "./testing/tree/stage.ts";
import { writeConnectRequest } from "./wire/client/handshake.ts";
import { readReplyHeader } from "./wire/client/header.ts";
import { JuteReader, JuteWriter } from "./wire/client/jute.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const HOST = "127.0.0.1";
const AUTH_FAILED = -115;
const MEGABYTE = 1_000_000;

/** A client that says what it likes, and notes each error in the replies. */
class Stranger {
  readonly #socket: net.Socket;
  #bytes = Buffer.alloc(0);
  readonly errors: number[] = [];
  greeted = false;
  ended = false;

  constructor(port: number) {
    this.#socket = net.connect({ host: HOST, port });
    this.#socket.on("error", () => {});
    this.#socket.on("data", (bytes) => this.#take(bytes));
    this.#socket.on("close", () => {
      this.ended = true;
    });
    const wish = { lastZxidSeen: 0, timeoutMs: 10_000, session: 0, readOnly: false };
    const greeting = writeConnectRequest(new JuteWriter(), { ...wish, password: new Uint8Array(16) });
    this.say(frameOf(greeting.finish()));
  }

  say(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  leave(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    while (this.#bytes.length >= 4 && this.#bytes.length >= 4 + this.#bytes.readUInt32BE(0)) {
      const end = 4 + this.#bytes.readUInt32BE(0);
      if (this.greeted) this.errors.push(readReplyHeader(new JuteReader(this.#bytes, 4)).error);
      this.greeted = true;
      this.#bytes = this.#bytes.subarray(end);
    }
  }
}

async function until(what: string, found: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) if (await found()) return;
  assert.fail(`not within 30 s: ${what}`);
}

async function modeOf(port: number): Promise<string | undefined> {
  const socket = net.connect({ host: HOST, port });
  socket.end("srvr");
  let text = "";
  try {
    for await (const bytes of socket) text += String(bytes);
  } catch {
    return undefined;
  }
  return /^Mode: (\w+)$/m.exec(text)?.[1];
}

/** Three servers that serve; their clients' ports. */
async function ensemble(t: TestContext): Promise<readonly number[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-strangers-"));
  const ports = await freePorts(6);
  const servers = ports.slice(3).map((port, index) => `${index + 1}=${HOST}:${port}`);
  const children: ChildProcess[] = [];
  t.after(async () => {
    for (const child of children) {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    }
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const clients = ports.slice(0, 3);
  for (const [index, port] of clients.entries()) {
    const words = ["--data-dir", path.join(folder, String(index)), "--client-port", String(port)];
    words.push("--servers", servers.join(","), "--id", String(index + 1));
    children.push(spawn(process.execPath, [MAIN, ...words], { stdio: "ignore" }));
  }
  await until("all serve", async () => {
    const modes = await Promise.all(clients.map(modeOf));
    return modes.filter((mode) => mode === "follower").length === 2 && modes.includes("leader");
  });
  return clients;
}

for (const role of ["follower", "leader"]) {
  test(`seventeen names of a megabyte and one write, told to the ${role}: it serves on`, async (t) => {
    const ports = await ensemble(t);
    const modes = await Promise.all(ports.map(modeOf));
    const port = ports[modes.indexOf(role)] as number;
    const stranger = new Stranger(port);
    for (let number = 10; number < 27; number++) {
      const credentials = utf8Bytes(`${number}${"x".repeat(MEGABYTE)}:secret`);
      stranger.say(requestFrame({ kind: "auth", scheme: "digest", credentials }, -4));
    }
    stranger.say(requestFrame(make("/stranger"), 1));
    await until("it is dropped", () => stranger.ended);
    // The refusal itself may be lost with the connection, for more was sent than was read.
    assert.ok(stranger.errors.every((error) => error === AUTH_FAILED));

    for (const each of ports) {
      const client = new Stranger(each);
      client.say(requestFrame(make(`/of${each}`), 1));
      await until(`a write at ${each}`, () => client.errors.length === 1);
      assert.deepEqual(client.errors, [0]);
      client.leave();
    }
    assert.deepEqual(await Promise.all(ports.map(modeOf)), modes);
  });
}
