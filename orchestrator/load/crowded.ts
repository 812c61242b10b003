/**
 * Three servers with many of everything: what each costs in memory, and whether those who lead and those who
 * wait notice. First the sessions, then their watches, then the znodes, each on what was there; then the
 * leader is killed.
 */

import { setTimeout as delay } from "node:timers/promises";
import { OPEN } from "#node/wire/client/acl.ts";
import { type Ensemble, type ServerProcess, startEnsemble } from "../system/ensemble.ts";
import { monotonic } from "#node/host/monotonic.ts";
import type { LoadPlan } from "../workload/load/plan.ts";
import { plant } from "../workload/load/planting.ts";
import type { System } from "../system/system.ts";
import { takeover } from "../bench/takeover.ts";
import { Crowd, type Pings } from "./crowd.ts";

export interface Crowding {
  readonly sessions: number;
  readonly watches: number;
  readonly znodes: number;
  readonly payloadBytes: number;
  /** Of quiet, after each step, in which garbage is collected and pings are timed. */
  readonly restSeconds: number;
  /** Of writes, in which the leader is killed and the next one serves. */
  readonly windowSeconds: number;
}

export interface Crowded {
  readonly plantedSeconds: number;
  readonly gatheredSeconds: number;
  /**
   * Resident, of a server (mean of all): with hardly anything, with sessions, with watches, with znodes too.
   */
  readonly residentMb: {
    readonly empty: number;
    readonly sessions: number;
    readonly watches: number;
    readonly znodes: number;
  };
  /** Connections that servers ended before anything was done to them. */
  readonly lost: number;
  readonly pings: Pings;
  /** With 1,000 writes a second of 100 bytes. */
  readonly busyPings: Pings;
  readonly outage: Outage;
}

export interface Outage {
  /** Between two acknowledgements of any client. */
  readonly gapMs: number;
  /** The longest that a write waited which was due afterwards. */
  readonly stallMs: number;
  readonly unknown: number;
  /** Sessions of the dead leader, until all were at other servers, and how many had ended. */
  readonly moved: number;
  readonly movedMs: number;
  readonly expired: number;
  /** Of znodes that were watched for and created afterwards, how many were told of. */
  readonly created: number;
  readonly told: number;
}

const RATE = 1000;
const KILL_AFTER_MS = 2000;
const CREATED = 1000;
const PATIENCE_MS = 60_000;
/** Before anything is counted: a server that never did anything has not even compiled itself. */
const WARM_UP_ZNODES = 5000;
/** What is watched is not there yet, so that nothing else than watches is added. */
const WATCHED = "/watched";
const leaf = (index: number): string => `${WATCHED}/${index}`;

export async function crowded(
  system: System,
  crowding: Crowding,
  progress: (phase: string) => void,
): Promise<Crowded> {
  const { sessions, watches, znodes, payloadBytes, restSeconds, windowSeconds } = crowding;
  await using ensemble = await startEnsemble(system, 3);
  const ports = ensemble.servers.map(({ clientPort }) => clientPort);
  const resident = (): Promise<number> => residentMb(ensemble, restSeconds);
  await plant({ ports, znodes: WARM_UP_ZNODES, payloadBytes, root: "/warm-up" });
  await ensemble.load(writes(ports, restSeconds));
  const empty = await resident();

  progress(`${sessions} sessions`);
  const gathered = monotonic();
  using crowd = await Crowd.gather(ports, sessions);
  const gatheredSeconds = since(gathered);
  const withSessions = await resident();

  progress(`${watches} watches`);
  const each = Math.ceil(watches / sessions);
  for (const [index, member] of crowd.members.entries()) {
    await member.watch(Array.from({ length: each }, (_, at) => leaf(index * each + at)));
  }
  const withWatches = await resident();

  progress(`${znodes} znodes`);
  const planted = monotonic();
  await plant({ ports, znodes, payloadBytes });
  const plantedSeconds = since(planted);
  crowd.takePings();
  const withZnodes = await resident();
  const pings = crowd.takePings();

  progress("writes");
  await ensemble.load(writes(ports, restSeconds));
  const busyPings = crowd.takePings();

  const lost = crowd.lefts;
  progress("the leader's death");
  const outage = await killTheLeader(ensemble, crowd, windowSeconds, Math.min(CREATED, watches));
  return {
    plantedSeconds,
    gatheredSeconds,
    residentMb: { empty, sessions: withSessions, watches: withWatches, znodes: withZnodes },
    lost,
    pings,
    busyPings,
    outage,
  };
}

const since = (at: number): number => (monotonic() - at) / 1e6;

/** The least that was seen while it rested: what is above it was garbage. */
async function residentMb({ servers }: Ensemble, seconds: number): Promise<number> {
  const least = new Map<ServerProcess, number>();
  for (const until = monotonic() + seconds * 1e6; monotonic() < until; await delay(500)) {
    for (const server of servers) {
      const { residentBytes } = server.use();
      least.set(server, Math.min(least.get(server) ?? Infinity, residentBytes));
    }
  }
  return [...least.values()].reduce((sum, bytes) => sum + bytes, 0) / servers.length / 1e6;
}

const writes = (ports: readonly number[], seconds: number): LoadPlan => ({
  ports,
  clients: 6,
  request: "setData",
  payloadBytes: 100,
  pace: { kind: "open", ratePerSecond: RATE },
  warmUpSeconds: 0,
  seconds,
});

async function killTheLeader(
  ensemble: Ensemble,
  crowd: Crowd,
  windowSeconds: number,
  created: number,
): Promise<Outage> {
  const leader = await ensemble.leader();
  const leftBefore = crowd.lefts;
  const ports = ensemble.servers.map(({ clientPort }) => clientPort);
  let [killed, movedMs, until] = [0, 0, 0];
  let gone = Promise.resolve();
  const result = await ensemble.load(writes(ports, windowSeconds), {
    end: () => (until = monotonic()),
    begin: () => {
      gone = delay(KILL_AFTER_MS).then(async () => {
        killed = monotonic();
        await leader.kill();
        while (crowd.lefts === leftBefore || !crowd.isWhole) {
          if (since(killed) * 1e3 > PATIENCE_MS) throw new Error("the crowd did not come back");
          await delay(5);
        }
        movedMs = since(killed) * 1e3;
      });
      gone.catch(() => {});
    },
  });
  await gone;
  const seen = takeover(result.samples, killed);
  const last = result.samples.at(-1)?.[2] ?? 0;
  if (seen === null || last < until - 1e6) {
    throw new Error(`nobody was served again within ${windowSeconds} s`);
  }
  const told = await createWatched(crowd, created);
  const [moved, expired] = [crowd.lefts - leftBefore, crowd.expiries];
  const { unknown } = result;
  return { ...seen, unknown, moved, movedMs, expired, created, told };
}

/** Are the watches still there? Each znode below has one. */
async function createWatched(crowd: Crowd, count: number): Promise<number> {
  const before = crowd.events;
  const [member] = crowd.members;
  const create = async (path: string): Promise<void> => {
    await member?.ask({ kind: "create", path, data: null, acl: OPEN, flags: 0, ttl: -1 });
  };
  await create(WATCHED);
  for (let index = 0; index < count; index++) await create(leaf(index));
  for (const until = monotonic() + 1e6; crowd.events - before < count && monotonic() < until; )
    await delay(20);
  return crowd.events - before;
}
