/**
 * Three servers with many of everything: what each costs in memory, and whether those who lead and those who
 * wait notice. First the znodes, then the sessions, then their watches; then the leader is killed.
 */

import { setTimeout as delay } from "node:timers/promises";
import { type Ensemble, type ServerProcess, startEnsemble } from "../bench/ensemble.ts";
import { monotonic } from "../bench/load/clock.ts";
import type { LoadPlan } from "../bench/load/plan.ts";
import { plant } from "../bench/load/planting.ts";
import { runLoad } from "../bench/load/run.ts";
import type { System } from "../bench/system.ts";
import { takeover } from "../bench/takeover.ts";
import { Crowd, type Pings } from "./crowd.ts";

export interface Crowding {
  readonly sessions: number;
  readonly watches: number;
  readonly znodes: number;
  readonly payloadBytes: number;
  /** Of quiet, after each step, in which garbage is collected and pings are timed. */
  readonly restSeconds: number;
}

export interface Crowded {
  readonly plantedSeconds: number;
  readonly gatheredSeconds: number;
  /** Resident, of a server (mean of all): with nothing, with znodes, with sessions, with watches too. */
  readonly residentMb: { readonly empty: number; znodes: number; sessions: number; watches: number };
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
  /** Of watched znodes that were changed afterwards, how many told who watched them. */
  readonly changed: number;
  readonly told: number;
}

const RATE = 1000;
const WINDOW_SECONDS = 12;
const KILL_AFTER_MS = 2000;
const CHANGED = 1000;
const PATIENCE_MS = 60_000;
/** Where the n-th znode is (`plant`). */
const leaf = (index: number): string => `/tree/${Math.floor(index / 1000)}/${index}`;

export async function crowded(
  system: System,
  crowding: Crowding,
  progress: (phase: string) => void,
): Promise<Crowded> {
  const { sessions, watches, znodes, payloadBytes, restSeconds } = crowding;
  await using ensemble = await startEnsemble(system, 3);
  const ports = ensemble.servers.map(({ clientPort }) => clientPort);
  const resident = (): Promise<number> => residentMb(ensemble, restSeconds);
  const empty = await resident();

  progress(`${znodes} znodes`);
  const planted = monotonic();
  await plant({ ports, znodes, payloadBytes });
  const plantedSeconds = since(planted);
  const withZnodes = await resident();

  progress(`${sessions} sessions`);
  const gathered = monotonic();
  using crowd = await Crowd.gather(ports, sessions);
  const gatheredSeconds = since(gathered);
  const withSessions = await resident();

  progress(`${watches} watches`);
  const each = Math.ceil(watches / sessions);
  for (const [index, member] of crowd.members.entries()) {
    await member.watch(Array.from({ length: each }, (_, at) => leaf((index * each + at) % znodes)));
  }
  crowd.takePings();
  const withWatches = await resident();
  const pings = crowd.takePings();

  progress("writes");
  await runLoad(writes(ports, restSeconds));
  const busyPings = crowd.takePings();

  progress("the leader's death");
  const outage = await killTheLeader(ensemble, crowd, Math.min(CHANGED, watches));
  return {
    plantedSeconds,
    gatheredSeconds,
    residentMb: { empty, znodes: withZnodes, sessions: withSessions, watches: withWatches },
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

async function killTheLeader(ensemble: Ensemble, crowd: Crowd, changed: number): Promise<Outage> {
  const leader = await ensemble.leader();
  const ports = ensemble.servers.map(({ clientPort }) => clientPort);
  let [killed, movedMs] = [0, 0];
  let gone = Promise.resolve();
  const result = await runLoad(writes(ports, WINDOW_SECONDS), {
    begin: () => {
      gone = delay(KILL_AFTER_MS).then(async () => {
        killed = monotonic();
        await leader.kill();
        while (crowd.lefts === 0 || !crowd.isWhole) {
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
  if (seen === null) throw new Error("nobody was served after the leader was killed");
  const told = await changeWatched(crowd, changed);
  const { lefts, expiries } = crowd;
  const { unknown } = result;
  return { ...seen, unknown, moved: lefts, movedMs, expired: expiries, changed, told };
}

/** Are the watches still there? Each znode below has one. */
async function changeWatched(crowd: Crowd, count: number): Promise<number> {
  const before = crowd.events;
  const [member] = crowd.members;
  for (let index = 0; index < count; index++) {
    const path = leaf(index);
    await member?.ask({ kind: "setData", path, data: new Uint8Array(100), version: -1 });
  }
  for (const until = monotonic() + 1e6; crowd.events - before < count && monotonic() < until; )
    await delay(20);
  return crowd.events - before;
}
