/**
 * An ensemble of real server processes on loopback, in a folder of its own that goes away with it.
 *
 *   await using ensemble = await startEnsemble(SYSTEMS.zookeeper, 3);
 *
 * However the block is left, every process is killed by its pid and the folder removed.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { freePorts } from "#node/host/tcp/free-ports.ts";
import { HOST } from "../topology/loopback.ts";
import type { LoadPlan, LoadResult } from "../workload/load/plan.ts";
import { type LoadWatcher, runLoad } from "../workload/load/run.ts";
import { bytesWrittenTo } from "./disk-use.ts";
import { type ProcessUse, processUse } from "./process-use.ts";
import type { Mode, Place, Seat, Settings, System } from "./system.ts";

/** Starts all servers and waits until each of them serves. */
export async function startEnsemble(
  system: System,
  size: number,
  settings: Settings = {},
): Promise<Ensemble> {
  const ensemble = await prepareEnsemble(system, size, settings);
  try {
    for (const server of ensemble.servers) server.start();
    await ensemble.ready();
    return ensemble;
  } catch (error) {
    await ensemble[Symbol.asyncDispose]();
    throw error;
  }
}

/** An ensemble whose servers are yet to be started, so that starting can be measured. */
export async function prepareEnsemble(
  system: System,
  size: number,
  settings: Settings = {},
): Promise<Ensemble> {
  const missing = system.missing();
  if (missing !== null) throw new Error(missing);
  const folder = mkdtempSync(join(tmpdir(), `polebench-${system.name}-`));
  const ports = await freePorts(3 * size);
  const places = Array.from({ length: size }, (_, index): Place => {
    const [clientPort = 0, quorumPort = 0, electionPort = 0] = ports.slice(3 * index);
    return { id: index + 1, clientPort, quorumPort, electionPort };
  });
  const servers = places.map((place) => {
    const home = join(folder, `p${place.id}`);
    mkdirSync(home);
    const server = new ServerProcess(system, {
      place,
      all: places,
      home,
      data: join(home, "data"),
      settings,
    });
    server.empty();
    return server;
  });
  return new Ensemble(system, servers, folder);
}

export class Ensemble implements AsyncDisposable {
  readonly servers: readonly ServerProcess[];
  readonly #system: System;
  readonly #folder: string;

  constructor(system: System, servers: readonly ServerProcess[], folder: string) {
    this.#system = system;
    this.servers = servers;
    this.#folder = folder;
  }

  /** As every client takes it: `host:port,host:port`. */
  get connectString(): string {
    return this.servers.map(({ clientPort }) => `${HOST}:${clientPort}`).join(",");
  }

  /**
   * Waits until every server that was started serves; says what the others printed when that takes too long.
   */
  async ready(withinMs = 30_000): Promise<void> {
    const deadline = performance.now() + withinMs;
    for (const server of this.servers.filter(({ running }) => running)) {
      while ((await server.mode()) === null) {
        if (!server.running) throw new Error(`p${server.id} ended:\n${server.printed()}`);
        if (performance.now() > deadline) {
          throw new Error(`p${server.id} does not serve after ${withinMs} ms:\n${server.printed()}`);
        }
        await delay(20);
      }
    }
  }

  async leader(): Promise<ServerProcess> {
    const modes = await Promise.all(this.servers.map((server) => server.mode()));
    const leader = this.servers.find(
      (_, index) => modes[index] === "leader" || modes[index] === "standalone",
    );
    if (leader === undefined) throw new Error(`nobody leads: ${modes.join(", ")}`);
    return leader;
  }

  /** By a program of its own that speaks the system's protocol. */
  load(plan: LoadPlan, watcher?: LoadWatcher): Promise<LoadResult> {
    return runLoad(this.#system.speakers.load, plan, watcher);
  }

  /** Of all servers together. */
  use(): ProcessUse {
    const uses = this.servers.filter(({ running }) => running).map((server) => server.use());
    return {
      cpuSeconds: uses.reduce((sum, use) => sum + use.cpuSeconds, 0),
      residentBytes: uses.reduce((sum, use) => sum + use.residentBytes, 0),
    };
  }

  /** To the disk that all servers share, by them and by whoever else writes there. */
  diskBytes(): number | null {
    return bytesWrittenTo(this.#folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

type Signal = "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT";

interface RunningProcess {
  readonly pid: number | undefined;
  kill(signal: Signal): void;
  readonly ended: Promise<void>;
}

export class ServerProcess {
  readonly id: number;
  readonly clientPort: number;
  /** Its folder: configuration, data and what it printed. */
  readonly home: string;
  readonly #system: System;
  readonly #seat: Seat;
  #process: RunningProcess | null = null;

  constructor(system: System, seat: Seat) {
    this.id = seat.place.id;
    this.clientPort = seat.place.clientPort;
    this.#system = system;
    this.#seat = seat;
    this.home = seat.home;
  }

  get running(): boolean {
    return this.#process !== null;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get place(): Place {
    return this.#seat.place;
  }

  get data(): string {
    return this.#seat.data;
  }

  /** Leaves nothing of its data but what a new server finds. */
  empty(): void {
    rmSync(this.data, { recursive: true, force: true });
    this.#system.furnish(this.#seat);
  }

  /** What it runs with: its command, and what was written into its folder for it. */
  told(): { readonly command: readonly string[]; readonly files: Readonly<Record<string, string>> } {
    const files = readdirSync(this.home, { withFileTypes: true }).filter((entry) => entry.isFile());
    const text = files.map(({ name }) => [name, readFileSync(join(this.home, name), "utf8")] as const);
    return { command: this.#system.command(this.home), files: Object.fromEntries(text) };
  }

  start(): void {
    const [program, ...args] = this.#system.command(this.home);
    const output = { file: join(this.home, "output.txt"), append: true };
    const process = execa(program, args, {
      cwd: this.home,
      stdin: "ignore",
      stdout: output,
      stderr: output,
      reject: false,
    });
    const ended = process.then(() => {
      if (this.#process === started) this.#process = null;
    });
    const started = { pid: process.pid, kill: (signal: Signal) => process.kill(signal), ended };
    this.#process = started;
  }

  /** As a power cut would, unless a gentler signal is named; comes back when the process is gone. */
  async kill(signal: Signal = "SIGKILL"): Promise<void> {
    const process = this.#process;
    process?.kill(signal);
    await process?.ended;
  }

  /** Stops or goes on, without ending. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process?.kill(signal);
  }

  mode(): Promise<Mode | null> {
    return this.running ? this.#system.mode(this.#seat.place) : Promise.resolve(null);
  }

  use(): ProcessUse {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error(`p${this.id} is not running`);
    return processUse(pid);
  }

  printed(): string {
    return readFileSync(join(this.home, "output.txt"), "utf8").slice(-4000);
  }
}
