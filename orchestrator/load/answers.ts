/**
 * Answers that nobody takes. First a good client: it asks for 500 large znodes at once and reads them all.
 * Then the leader gets clients who ask for as much and read nothing, and others who watch what is changed all
 * the time and read nothing. It should keep its memory and its followers, and answer everybody else as
 * before; and when they have gone, so should be what was kept for them.
 */

import { setTimeout as delay } from "node:timers/promises";
import { OPEN } from "#node/wire/client/acl.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { type Ensemble, type ServerProcess, startEnsemble } from "../system/ensemble.ts";
import { ask } from "../system/zookeeper/four-letter-word.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { payload } from "../workload/load/request.ts";
import type { System } from "../system/system.ts";
import { CrowdMember } from "./crowd-member.ts";
import { Modest, type Waits } from "./modest.ts";
import { Stuck } from "./stuck.ts";

export interface Answering {
  /** Large znodes that one client asks for at once. */
  readonly pipelined: number;
  /** Clients that read nothing: half ask, half watch. */
  readonly stuck: number;
  readonly seconds: number;
}

export interface Answered {
  /** Of those that were asked for at once, how many came, in the order asked; and how long it took. */
  readonly served: number;
  readonly servedSeconds: number;
  /** The leader's: before, at most while they are stuck, and after they have gone. */
  readonly residentMb: { readonly before: number; readonly stuck: number; readonly after: number };
  readonly modest: { readonly before: Waits; readonly stuck: Waits };
  /** Connections of those who ask for little that ended. */
  readonly lost: number;
  /** Changes that the watchers were not told of, for they did not listen. */
  readonly changes: number;
  /** Clients that the server gave up. */
  readonly cutOff: number;
  /** Epochs that began meanwhile. */
  readonly elections: number;
}

/** What fits into a frame with a path and the rest. */
const LARGE_BYTES = 1_000_000;
const LARGE = "/large";
/** Such that events fill what lies between the two ends within a few changes. */
const WATCHED = "/watched";
const watchedLeaf = `${WATCHED}/${"x".repeat(16_000)}`;
const CHANGE_EVERY_MS = 25;
const SESSION_TIMEOUT_MS = 30_000;
const LOOK_MS = 50;
const REST_SECONDS = 5;
const nobody = { pinged() {}, told() {}, left() {}, returned() {}, expired() {} };

export async function answered(
  system: System,
  { pipelined, stuck, seconds }: Answering,
  progress: (phase: string) => void,
): Promise<Answered> {
  await using ensemble = await startEnsemble(system, 3);
  const leader = await ensemble.leader();
  const port = leader.clientPort;
  using writer = new Asker(port);
  await writer.create(LARGE, payload(LARGE_BYTES));
  await writer.create(WATCHED, null);
  await writer.create(watchedLeaf, null);

  progress(`${pipelined} reads of 1 MB at once`);
  const asked = monotonic();
  const large = { kind: "getData", path: LARGE, watch: false } as const;
  using good = new Stuck(port, large, pipelined, pipelined);
  await good.done;
  const { served } = good;
  const servedSeconds = (monotonic() - asked) / 1e6;

  progress("rest");
  using modest = await Modest.at(ensemble);
  const rested = monotonic();
  const before = await leastMb(leader, REST_SECONDS);
  const epoch = await epochOf(ensemble);

  progress(`${stuck} who do not read`);
  const begun = monotonic();
  const mostMb = new Most(leader);
  const clients = Array.from({ length: stuck }, (_, index) =>
    index % 2 === 0
      ? new Stuck(port, large, pipelined, 0)
      : new Stuck(port, { kind: "addWatch", path: WATCHED, mode: 1 }, 1, 1),
  );
  await Promise.all(clients.map((client) => client.done));
  let changes = 0;
  for (const until = monotonic() + seconds * 1e6; monotonic() < until; changes++) {
    await writer.change(watchedLeaf);
    await delay(CHANGE_EVERY_MS);
  }
  const ended = monotonic();
  const most = mostMb.end();
  const cutOff = clients.filter(({ isGone }) => isGone).length;
  const elections = (await epochOf(ensemble)) - epoch;

  progress("they leave");
  for (const client of clients) client[Symbol.dispose]();
  const after = await leastMb(leader, REST_SECONDS);
  return {
    served,
    servedSeconds,
    residentMb: { before, stuck: most, after },
    modest: { before: modest.waits(rested, begun), stuck: modest.waits(begun, ended) },
    lost: modest.lefts,
    changes,
    cutOff,
    elections,
  };
}

/** One that makes what the others read, and changes what they watch. */
class Asker implements Disposable {
  readonly #member: CrowdMember;

  constructor(port: number) {
    this.#member = new CrowdMember([port], 0, SESSION_TIMEOUT_MS, nobody);
  }

  async create(path: string, data: Uint8Array | null): Promise<void> {
    await this.#member.joined;
    const made = await this.#member.ask({ kind: "create", path, data, acl: OPEN, flags: 0, ttl: -1 });
    if (made?.error !== ERRORS.ok)
      throw new Error(`${path} could not be created: ${made?.error ?? "no answer"}`);
  }

  async change(path: string): Promise<void> {
    await this.#member.ask({ kind: "setData", path, data: new Uint8Array(8), version: -1 });
  }

  [Symbol.dispose](): void {
    this.#member.end();
  }
}

/** The most memory that a server had. */
class Most {
  #residentMb = 0;
  readonly #look: NodeJS.Timeout;

  constructor(server: ServerProcess) {
    this.#look = setInterval(() => {
      this.#residentMb = Math.max(this.#residentMb, residentMb(server));
    }, LOOK_MS);
  }

  end(): number {
    clearInterval(this.#look);
    return this.#residentMb;
  }
}

/** What is above it was garbage. */
async function leastMb(server: ServerProcess, seconds: number): Promise<number> {
  let least = Infinity;
  for (const until = monotonic() + seconds * 1e6; monotonic() < until; await delay(LOOK_MS)) {
    least = Math.min(least, residentMb(server));
  }
  return least;
}

const residentMb = (server: ServerProcess): number => server.use().residentBytes / 1e6;

/** The latest that any server knows: the high half of its last zxid. */
async function epochOf({ servers }: Ensemble): Promise<number> {
  const told = await Promise.all(servers.map(({ clientPort }) => ask(clientPort, "srvr")));
  return Math.max(
    ...told.map((text) => Math.floor(Number(/^Zxid: (0x\w+)$/m.exec(text)?.[1] ?? 0) / 2 ** 32)),
  );
}
