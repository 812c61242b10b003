/**
 * Measures what virtual time has to assume of this machine (`simulated-machine.ts`), just before a trial and
 * at the priority of its servers: how long a log takes to be safe, and how long a process of a server's size
 * takes to be gone once it is killed.
 *
 * Run as a program it is such a process: it holds as much memory as a server, says how long it writes, and
 * keeps whoever connects.
 */

import { once } from "node:events";
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "../../statistics/summary.ts";
import type { MeasuredMachine } from "../../recording/recording.ts";
import { commandOf, hurried, priority } from "../../testbed/priority.ts";
import type { Readable } from "node:stream";
import { child } from "../../testbed/child.ts";

const SELF = fileURLToPath(import.meta.url);
/** What a server under a trial's load has, beyond an empty process. */
const HELD_BYTES = 96 * 2 ** 20;
const WRITE_BYTES = 1100;
const SYNCS = 50;
const EXITS = 3;

export async function surveyMachine(): Promise<MeasuredMachine> {
  // Whoever measures must not wait for others either.
  using _ = hurried(priority());
  const exits: number[] = [];
  const syncs: number[] = [];
  for (let exit = 0; exit < EXITS; exit++) {
    const { syncMs, exitMs } = await surveyOnce();
    syncs.push(syncMs);
    exits.push(exitMs);
  }
  return { syncMs: median(syncs), exitMs: median(exits) };
}

async function surveyOnce(): Promise<MeasuredMachine> {
  const started = child(commandOf(priority(), [process.execPath, SELF]), { stderr: "inherit" });
  try {
    const ended = once(started, "exit").then(([code]) => {
      throw new Error(`the process that was to be killed ended by itself, with ${String(code)}`);
    });
    const [said] = (await Promise.race([once(started.stdout as Readable, "data"), ended])) as [Buffer];
    const { port, syncMs } = JSON.parse(said.toString()) as { port: number; syncMs: number };
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    // Its connections are reset, or end: both close this one.
    socket.on("error", () => {});
    const killed = performance.now();
    started.kill("SIGKILL");
    await new Promise((resolve) => socket.resume().once("close", resolve));
    return { syncMs, exitMs: performance.now() - killed };
  } finally {
    started.kill("SIGKILL");
  }
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
      return performance.now() - began;
    });
    return median(syncs);
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const held = Buffer.alloc(HELD_BYTES, 1);
  const server = createServer((socket) => socket.on("error", () => {}));
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    process.stdout.write(`${JSON.stringify({ port, syncMs: syncOf(), held: held.length })}\n`);
  });
}
