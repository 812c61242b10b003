/** Three server processes on this machine, for tests of whoever asks them; they end with the test file. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after as afterAll } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AskingSession } from "../../host/tcp/asking-session.ts";
import { freePorts } from "../../host/tcp/free-ports.ts";
import type { ServerAddress } from "../../host/tcp/live-session.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const HOST = "127.0.0.1";

export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `not within a minute: ${what}`);
    await sleep(2);
  }
}

/** Where clients find three server processes. */
export const serverProcesses = async (): Promise<readonly ServerAddress[]> => (await runServers()).places;

export interface Servers {
  readonly places: readonly ServerAddress[];
  /** Ends one without a word, by its place in the list, and starts it again. */
  kill(server: number): Promise<void>;
  restart(server: number): Promise<void>;
}

/** `further`: lines for the configuration of the server at this place of the list. */
export async function runServers(further = (_server: number): string[] => []): Promise<Servers> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-service-"));
  const [clientPorts, peers] = [await freePorts(3), await freePorts(3)];
  const start = (index: number): ChildProcess =>
    spawn(process.execPath, [MAIN, path.join(folder, `${index + 1}.cfg`)], { stdio: "ignore" });
  const children = clientPorts.map((port, index): ChildProcess => {
    const file = path.join(folder, `${index + 1}.cfg`);
    const lines = [
      `id=${index + 1}`,
      `dataDir=${path.join(folder, String(index + 1))}`,
      `clientPort=${port}`,
      "tickTime=500",
      "maxSessionTimeout=60000",
      "initial=yes",
      ...further(index),
      ...peers.map((peer, at) => `server.${at + 1}=${HOST}:${peer}:${peer}`),
    ];
    fs.writeFileSync(file, lines.join("\n"));
    return start(index);
  });
  const end = async (child: ChildProcess | undefined): Promise<void> => {
    child?.kill("SIGKILL");
    if (child?.exitCode === null && child.signalCode === null) await once(child, "close");
  };
  afterAll(async () => {
    await Promise.all(children.map(end));
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const places = clientPorts.map((port) => ({ host: HOST, port }));
  for (const place of places) await until(`a session at port ${place.port}`, () => givesSession(place));
  return {
    places,
    kill: async (server) => end(children[server]),
    restart: async (server) => {
      children[server] = start(server);
      const [place] = places.slice(server);
      if (place !== undefined) await until(`a session at port ${place.port}`, () => givesSession(place));
    },
  };
}

async function givesSession(place: ServerAddress): Promise<boolean> {
  try {
    using _session = await AskingSession.open(place);
    return true;
  } catch {
    await sleep(50);
    return false;
  }
}
