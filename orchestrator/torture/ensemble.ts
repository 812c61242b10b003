/**
 * Who is tortured: real server processes, each on a machine of its own with a small disk of its own, at the
 * distances of a topology. Everything that can be done to one of them alone is done here.
 *
 * The disk is a tmpfs, which a file beside the data fills to the last byte. It is mounted in the mount
 * namespace of this process (see `isolation.ts`) and goes away with it.
 */

import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type ServerId, serverId } from "#node/core/identity.ts";
import type { Mode, Place, Seat, System } from "../system/system.ts";
import { SYSTEMS } from "../system/catalog.ts";
import type { Running } from "../testbed/infrastructure/infrastructure.ts";
import { enterNamespace } from "../testbed/network/libc.ts";
import { clientsOf } from "../testbed/network/network.ts";
import { labelledFolder } from "../testbed/reaper.ts";
import { networkOf } from "../runner/live/faults.ts";
import type { Abilities, DiskBend } from "../fault/abilities.ts";
import { giveOrders, NO_ORDERS, type Orders } from "../fault/orders.ts";
import { openTestbed, type Testbed } from "../testbed/testbed.ts";
import { loadTopology, type Topology, withLoad } from "../topology/topology.ts";
import { TICK_MS, type Torture } from "./plan.ts";

const SERVER = fileURLToPath(new URL("./server.ts", import.meta.url));
const COMPILED = fileURLToPath(new URL("../../.cache/torture", import.meta.url));
/** As `main.ts` gives itself. */
const THRIFTY = ["--max-semi-space-size=8"];
const PORTS = { clientPort: 2181, quorumPort: 2888, electionPort: 3888 };
const LAST_WORDS = 700;

export async function openEnsemble(plan: Torture): Promise<TorturedEnsemble> {
  const { seed } = plan;
  const system: System = SYSTEMS[plan.system];
  const topology = clientsAtOneSite(loadTopology(plan.topology), seed);
  await using stack = new AsyncDisposableStack();
  // Only the plane knows connections, one of which it can forget.
  const testbed = stack.use(await openTestbed({ topology, seed, engine: "plane" }));
  const folder = labelledFolder("torture", testbed.label);
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const places = [...topology.servers.keys()].map(
    (id): Place => ({ id, host: testbed.machine(`p${id}`).address, ...PORTS }),
  );
  const secret = randomBytes(16).toString("hex");
  const servers = places.map((place) => {
    const home = join(folder, `p${place.id}`);
    const data = join(home, "data");
    mkdirSync(data, { recursive: true });
    const size = `size=${system.torture.diskMib}m,mode=700`;
    execFileSync("mount", ["-t", "tmpfs", "-o", size, "torture", data]);
    stack.defer(() => void execFileSync("umount", ["--lazy", data]));
    const chosen = plan.election === undefined ? {} : { election: plan.election };
    const settings = { ...system.torture.settings(TICK_MS), ...chosen };
    const seat: Seat = { place, all: places, home, data, settings };
    system.furnish(seat);
    giveOrders(home, NO_ORDERS);
    return new TorturedServer(testbed, system, seat, commandOf(plan, system, home), secret);
  });
  for (const server of servers) stack.defer(() => server.crash());
  await Promise.all(servers.map((server) => server.start()));
  // From here on this process is on the clients' machine: what it connects to lies behind the network.
  const [clients] = [...topology.sites.values()].filter(({ load }) => load > 0);
  enterNamespace(testbed.infrastructure.namespace(testbed.machine(clientsOf(clients?.name ?? ""))));
  return new TorturedEnsemble(testbed, servers, folder, stack.move());
}

/** Nobody is tortured less for being far from the clients; so the seed draws where they are. */
function clientsAtOneSite(topology: Topology, seed: number): Topology {
  const sites = [...topology.sites.keys()];
  return withLoad(topology, new Map([[sites[seed % sites.length] ?? "", 1]]));
}

/** A system that bends runs in a program of ours, where its disk and clocks can be made to go wrong. */
function commandOf(
  { mutant }: Torture,
  { torture, bends }: System,
  home: string,
): readonly [string, ...string[]] {
  if (bends.length === 0) return torture.command(home);
  return [process.execPath, ...THRIFTY, SERVER, home, ...(mutant === null ? [] : [mutant])];
}

/** What no server ends of by itself. */
const HARMLESS: ReadonlySet<DiskBend["kind"] | undefined> = new Set(["slow", "stuck", undefined]);

export class TorturedEnsemble implements AsyncDisposable {
  readonly testbed: Testbed;
  readonly servers: readonly TorturedServer[];
  readonly #folder: string;
  readonly #stack: AsyncDisposableStack;

  constructor(
    testbed: Testbed,
    servers: readonly TorturedServer[],
    folder: string,
    stack: AsyncDisposableStack,
  ) {
    this.testbed = testbed;
    this.servers = servers;
    this.#folder = folder;
    this.#stack = stack;
  }

  /** One who says so; while two do, either. */
  async leader(): Promise<TorturedServer | null> {
    const modes = await Promise.all(this.servers.map((server) => server.mode()));
    return this.servers.find((_, index) => modes[index] === "leader") ?? null;
  }

  /** `inFlight`: what becomes of that which is under way when a link is cut. */
  abilities(inFlight: () => "deliver" | "drop"): Abilities {
    const at = (id: ServerId): TorturedServer =>
      this.servers.find((server) => server.id === id) as TorturedServer;
    return {
      network: networkOf(this.testbed, inFlight),
      processes: {
        // Who leads is asked before a fault is made, and named in it.
        leader: () => null,
        isRunning: (server) => at(server).isRunning,
        kill: (server) => at(server).crash(),
        pause: (server) => at(server).pause(),
        resume: (server) => at(server).resume(),
        start: (server) => at(server).start(),
        transfer: () => {
          throw new Error("torture orders no transfers");
        },
      },
      disks: {
        bend: (server, bend) => at(server).bend(bend),
        wipe: (server) => at(server).wipe(),
      },
      clocks: {
        jump: (server, by) => at(server).jump(by / 1e3),
        leap: (server, by) => at(server).leap(by / 1e3),
      },
    };
  }

  /** How servers ended to which nothing had been done that ends one. */
  get suicides(): readonly string[] {
    return this.servers.flatMap(({ suicides }) => suicides);
  }

  /** Ends all servers and copies what they wrote: disks, words, and the diary of what was done to them. */
  async leaveTo(folder: string): Promise<void> {
    await Promise.all(this.servers.map((server) => server.crash()));
    cpSync(this.#folder, folder, { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack[Symbol.asyncDispose]();
  }
}

const BALLAST = "ballast";
const run = promisify(execFile);

export class TorturedServer {
  readonly id: ServerId;
  readonly host: string;
  readonly clientPort: number;
  readonly suicides: string[] = [];
  readonly #testbed: Testbed;
  readonly #system: System;
  readonly #seat: Seat;
  readonly #command: readonly [string, ...string[]];
  readonly #secret: string;
  #running: Running | null = null;
  #starting: Promise<void> | null = null;
  /** It was started, and nobody has ended it since. */
  #isWanted = false;
  #orders = NO_ORDERS;
  /** Something was done after which a server may end. */
  #doomed = false;

  constructor(
    testbed: Testbed,
    system: System,
    seat: Seat,
    command: readonly [string, ...string[]],
    secret: string,
  ) {
    this.id = serverId(seat.place.id);
    this.host = seat.place.host ?? "";
    this.clientPort = seat.place.clientPort;
    this.#testbed = testbed;
    this.#system = system;
    this.#seat = seat;
    this.#command = command;
    this.#secret = secret;
  }

  /** The name of its machine. */
  get name(): string {
    return `p${this.id}`;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** However many want it at once, it is started once. */
  async start(): Promise<void> {
    this.#isWanted = true;
    if (this.#running !== null) return;
    this.#starting ??= this.#spawn().finally(() => (this.#starting = null));
    await this.#starting;
  }

  async crash(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    this.#isWanted = false;
    if (running !== null) this.#note("killed");
    await running?.kill();
  }

  async pause(): Promise<void> {
    this.#note("paused");
    await this.#running?.pause();
  }

  async resume(): Promise<void> {
    await this.#running?.resume();
  }

  /** Its own disk is filled for real, to the last byte; for all else there is a layer over it. */
  async bend(bend: DiskBend | null): Promise<void> {
    if (bend !== null && !HARMLESS.has(bend.kind)) this.#doomed = true;
    if (bend?.kind === "full") return this.#fill();
    this.#order({ disk: bend });
    if (bend === null) rmSync(this.#ballast, { force: true });
  }

  jump(ms: number): void {
    this.#order({ wallMs: this.#orders.wallMs + ms });
  }

  leap(ms: number): void {
    this.#order({ leaptMs: this.#orders.leaptMs + ms });
  }

  #order(change: Partial<Orders>): void {
    this.#orders = { ...this.#orders, ...change };
    giveOrders(this.#seat.home, this.#orders);
  }

  async #fill(): Promise<void> {
    this.#note("disk filled");
    // It ends with a complaint that there is no room, which is what it is for.
    await run("dd", ["if=/dev/zero", `of=${this.#ballast}`, "bs=64k"]).catch(() => {});
  }

  /** A new disk, with nothing on it but what a new server finds. */
  wipe(): void {
    this.#note("disk wiped");
    for (const name of readdirSync(this.#data)) {
      rmSync(join(this.#data, name), { recursive: true, force: true });
    }
    this.#system.furnish(this.#seat);
  }

  mode(): Promise<Mode | null> {
    return this.isRunning ? this.#system.mode(this.#seat.place) : Promise.resolve(null);
  }

  async #spawn(): Promise<void> {
    const running = await this.#testbed.start(this.name, {
      command: this.#command,
      environment: { POLEBENCH_SECRET: this.#secret, NODE_COMPILE_CACHE: COMPILED },
      log: this.#log,
    });
    this.#doomed = existsSync(this.#ballast) || !HARMLESS.has(this.#orders.disk?.kind);
    this.#running = running;
    this.#note("started");
    void running.exited.then(async ({ code, signal }) => {
      if (this.#running !== running) return;
      this.#running = null;
      this.#note(`ended by itself (${signal ?? code})`);
      if (!this.#doomed) this.suicides.push(`${this.name} (${signal ?? code}): ${this.#lastWords()}`);
      const anewMs = this.#system.torture.startedAnewMs;
      if (anewMs === null) return;
      await delay(anewMs);
      if (this.#isWanted) await this.start();
    });
  }

  #note(what: string): void {
    const diary = join(this.#seat.home, "..", "diary.txt");
    appendFileSync(diary, `${new Date().toISOString()} ${this.name} ${what}\n`);
  }

  get #data(): string {
    return this.#seat.data;
  }

  get #ballast(): string {
    return join(this.#data, BALLAST);
  }

  get #log(): string {
    return join(this.#seat.home, "output.txt");
  }

  #lastWords(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").slice(-LAST_WORDS) : "";
  }
}
