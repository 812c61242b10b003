/**
 * Measures here and now what virtual time has to assume of a machine: how long a message between two
 * processes takes when there is no way between them, how long a log takes to be safe, and how long a process
 * of a server's size takes to be gone once it is killed.
 *
 * Run as a program it is such a process: it holds as much memory as a server, and answers whatever it is
 * sent.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { microseconds } from "#node/core/time.ts";
import { quantile } from "../measure/summary-statistics.ts";
import { commandOf, priority } from "./live-priority.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";

const SELF = fileURLToPath(import.meta.url);
/** What a server under a trial's load has, beyond an empty process. */
const HELD_BYTES = 96 * 2 ** 20;
const WRITE_BYTES = 1100;
const [TRIPS, SYNCS, EXITS] = [1000, 100, 5];

export async function surveyMachine(): Promise<SimulatedMachine> {
  const exits: number[] = [];
  let handling = 0;
  for (let exit = 0; exit < EXITS; exit++) {
    const [child, socket] = await startPeer();
    if (exit === 0) handling = (await tripOf(socket)) / 2;
    exits.push(await exitOf(child, socket));
  }
  return {
    handling: microseconds(handling),
    sync: microseconds(syncOf()),
    exit: microseconds(median(exits)),
  };
}

async function startPeer(): Promise<readonly [ChildProcess, Socket]> {
  const [program, ...rest] = commandOf(priority(), [process.execPath, SELF]);
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once("data", (text: Buffer) => resolve(Number(text.toString())));
    child.once("error", reject);
  });
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  return [child, socket];
}

/** Microseconds, there and back: two processes deal with a message each. */
async function tripOf(socket: Socket): Promise<number> {
  const trips: number[] = [];
  const message = Buffer.alloc(100);
  for (let trip = 0; trip < TRIPS; trip++) {
    const sent = performance.now();
    socket.write(message);
    await new Promise((resolve) => socket.once("data", resolve));
    trips.push((performance.now() - sent) * 1e3);
  }
  return median(trips);
}

async function exitOf(child: ChildProcess, socket: Socket): Promise<number> {
  socket.on("error", () => {});
  const killed = performance.now();
  child.kill("SIGKILL");
  await new Promise((resolve) => socket.once("close", resolve));
  return (performance.now() - killed) * 1e3;
}

/** Appends as a server's log does: blocks that are already there are written again, and made safe. */
function syncOf(): number {
  const folder = mkdtempSync(join(tmpdir(), "polebench-machine-"));
  const file = openSync(join(folder, "log"), "w");
  try {
    writeSync(file, Buffer.alloc(SYNCS * WRITE_BYTES), 0, SYNCS * WRITE_BYTES, 0);
    fdatasyncSync(file);
    const record = Buffer.alloc(WRITE_BYTES, 1);
    const syncs = Array.from({ length: SYNCS }, (_, index) => {
      const began = performance.now();
      writeSync(file, record, 0, WRITE_BYTES, index * WRITE_BYTES);
      fdatasyncSync(file);
      return (performance.now() - began) * 1e3;
    });
    return median(syncs);
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

const median = (values: readonly number[]): number => quantile(Float64Array.from(values).sort(), 0.5);

if (import.meta.main) {
  const held = Buffer.alloc(HELD_BYTES, 1);
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("data", (bytes) => socket.write(bytes));
    // Whoever asked is gone, and held the memory long enough.
    socket.on("error", () => process.exit(held.length === 0 ? 1 : 0));
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.stdout.write(`${typeof address === "object" ? address?.port : 0}\n`);
  });
}
