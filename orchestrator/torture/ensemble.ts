/**
 * Who is tortured: real server processes, each on a machine of its own with a small disk of its own, at the
 * distances of a topology. Everything that can be done to one of them alone is done here.
 *
 * The disk is a tmpfs, which a file beside the data fills to the last byte. It is mounted in the mount
 * namespace of this process (see `isolation.ts`) and goes away with it.
 */

import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Place, type Settings, zooConfiguration } from "../bench/configuration.ts";
import { type Mode, modeOf } from "../bench/four-letter-word.ts";
import { SYSTEMS } from "../bench/system.ts";
import type { Running } from "../testbed/infrastructure/infrastructure.ts";
import { enterNamespace } from "../testbed/network/libc.ts";
import { clientsOf } from "../testbed/network/network.ts";
import { labelledFolder } from "../testbed/reaper.ts";
import { openTestbed, type Testbed } from "../testbed/testbed.ts";
import { loadTopology, type Topology, withLoad } from "../topology/topology.ts";
import { giveOrders, NO_ORDERS, type Orders } from "./orders.ts";
import { TICK_MS, type Torture, type TorturedSystem } from "./plan.ts";

const SERVER = fileURLToPath(new URL("./server.ts", import.meta.url));
const COMPILED = fileURLToPath(new URL("../../.cache/torture", import.meta.url));
/** As `main.ts` gives itself. */
const THRIFTY = ["--max-semi-space-size=8"];
const PORTS = { clientPort: 2181, quorumPort: 2888, electionPort: 3888 };
/** Our largest segment of the log is 16 MiB; ZooKeeper never removes what it wrote. */
const DISK_MIB = { polebench: 64, zookeeper: 256 };
const LAST_WORDS = 700;
/** Of ZooKeeper's servers that find no leader: after a second at most, and not after a minute. */
const ASKS_AGAIN = "-Dzookeeper.fastleader.maxNotificationInterval=1000";
/** What ZooKeeper says, with the time of day, where Debian's logger for it is installed. */
const LOGGER = "/usr/share/java/slf4j-simple.jar";
const LOG_FORMAT = ["showDateTime=true", "dateTimeFormat=HH:mm:ss.SSS"];
/** ZooKeeper is built to end where it cannot go on, and to be started anew by who watches over it. */
const STARTED_ANEW_MS = { polebench: null, zookeeper: 1000 };

export async function openEnsemble(plan: Torture): Promise<TorturedEnsemble> {
  const { system, seed } = plan;
  const topology = clientsAtOneSite(loadTopology(plan.topology), seed);
  await using stack = new AsyncDisposableStack();
  const testbed = stack.use(await openTestbed({ topology, seed }));
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
    const size = `size=${DISK_MIB[system]}m,mode=700`;
    execFileSync("mount", ["-t", "tmpfs", "-o", size, "torture", data]);
    stack.defer(() => void execFileSync("umount", ["--lazy", data]));
    writeFileSync(join(home, "zoo.cfg"), zooConfiguration(place, places, data, settings(system)));
    writeFileSync(join(data, MY_ID), `${place.id}\n`);
    giveOrders(home, NO_ORDERS);
    const anewMs = STARTED_ANEW_MS[system];
    return new TorturedServer(testbed, place, home, commandOf(plan, home), secret, anewMs);
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

/** Who leads is drawn, not who has the newest history, so that a leader must pull. */
const settings = (system: TorturedSystem): Settings =>
  system === "zookeeper"
    ? { tickTime: TICK_MS, preAllocSize: 2048 }
    : { tickTime: TICK_MS, oracle: "rotating", snapCount: 2000, historyBytes: 1 << 18 };

function commandOf({ system, mutant }: Torture, home: string): readonly [string, ...string[]] {
  const file = join(home, "zoo.cfg");
  if (system === "zookeeper") {
    const [java, ...rest] = SYSTEMS.zookeeper.command(file);
    const format = LOG_FORMAT.map((what) => `-Dorg.slf4j.simpleLogger.${what}`);
    const logged = rest.map((word) => (word.endsWith("zookeeper.jar") ? `${word}:${LOGGER}` : word));
    return [java, ASKS_AGAIN, ...format, ...logged];
  }
  return [process.execPath, ...THRIFTY, SERVER, file, ...(mutant === null ? [] : [mutant])];
}

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

const MY_ID = "myid";
const BALLAST = "ballast";
const run = promisify(execFile);

export class TorturedServer {
  readonly id: number;
  readonly host: string;
  readonly clientPort: number;
  readonly suicides: string[] = [];
  readonly #testbed: Testbed;
  readonly #home: string;
  readonly #command: readonly [string, ...string[]];
  readonly #secret: string;
  readonly #anewMs: number | null;
  #running: Running | null = null;
  #starting: Promise<void> | null = null;
  /** It was started, and nobody has ended it since. */
  #isWanted = false;
  #orders = NO_ORDERS;
  /** Something was done after which a server may end. */
  #doomed = false;

  constructor(
    testbed: Testbed,
    { id, host = "", clientPort }: Place,
    home: string,
    command: readonly [string, ...string[]],
    secret: string,
    anewMs: number | null,
  ) {
    this.id = id;
    this.host = host;
    this.clientPort = clientPort;
    this.#testbed = testbed;
    this.#home = home;
    this.#command = command;
    this.#secret = secret;
    this.#anewMs = anewMs;
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

  order(change: Partial<Orders>): void {
    if (change.disk === "failing" || change.disk === "torn") this.#doomed = true;
    this.#orders = { ...this.#orders, ...change };
    giveOrders(this.#home, this.#orders);
  }

  get leaptMs(): number {
    return this.#orders.leaptMs;
  }

  /** Not one byte is left on its disk. */
  async fill(): Promise<void> {
    this.#doomed = true;
    this.#note("disk filled");
    // It ends with a complaint that there is no room, which is what it is for.
    await run("dd", ["if=/dev/zero", `of=${this.#ballast}`, "bs=64k"]).catch(() => {});
  }

  /** It may have ended by itself by now, or will at its next write. */
  get isDoomed(): boolean {
    return this.#doomed;
  }

  empty(): void {
    rmSync(this.#ballast, { force: true });
  }

  /** A new disk, with nothing on it but whose it is. */
  wipe(): void {
    this.#note("disk wiped");
    for (const name of readdirSync(this.#data)) {
      if (name !== MY_ID) rmSync(join(this.#data, name), { recursive: true, force: true });
    }
  }

  mode(): Promise<Mode | null> {
    return this.isRunning ? modeOf(this.clientPort, this.host) : Promise.resolve(null);
  }

  async #spawn(): Promise<void> {
    const running = await this.#testbed.start(this.name, {
      command: this.#command,
      environment: { POLEBENCH_SECRET: this.#secret, NODE_COMPILE_CACHE: COMPILED },
      log: this.#log,
    });
    this.#doomed = existsSync(this.#ballast) || !["slow", null].includes(this.#orders.disk);
    this.#running = running;
    this.#note("started");
    void running.exited.then(async ({ code, signal }) => {
      if (this.#running !== running) return;
      this.#running = null;
      this.#note(`ended by itself (${signal ?? code})`);
      if (!this.#doomed) this.suicides.push(`${this.name} (${signal ?? code}): ${this.#lastWords()}`);
      if (this.#anewMs === null) return;
      await delay(this.#anewMs);
      if (this.#isWanted) await this.start();
    });
  }

  #note(what: string): void {
    const diary = join(this.#home, "..", "diary.txt");
    appendFileSync(diary, `${new Date().toISOString()} ${this.name} ${what}\n`);
  }

  get #data(): string {
    return join(this.#home, "data");
  }

  get #ballast(): string {
    return join(this.#data, BALLAST);
  }

  get #log(): string {
    return join(this.#home, "output.txt");
  }

  #lastWords(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").slice(-LAST_WORDS) : "";
  }
}
