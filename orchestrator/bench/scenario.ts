/**
 * What each system is put through, the same for all: each scenario brings its own ensemble and gives the
 * values it saw. A measurement that others disturbed, or that was never warm, is none.
 */

import { setTimeout as delay } from "node:timers/promises";
import { type Ensemble, prepareEnsemble, type ServerProcess, startEnsemble } from "../system/ensemble.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { machineBusySeconds } from "../system/process-use.ts";
import type { Pace } from "../workload/load/plan.ts";
import type { System } from "../system/system.ts";
import { bigTree } from "./big-tree.ts";
import { type Effort, loadPlan, measure, NotCounted, othersIn } from "./measurement.ts";
import { CLIENTS, OUTSTANDING, SHARES, shareName, sweepName, type Values } from "./metric.ts";
import { takeover } from "./takeover.ts";

export interface Terms {
  readonly effort: Effort;
  /**
   * So many at most that a client may have under way, of so many clients at so many servers, of which so many
   * are asked; null: any.
   */
  most(servers: number, clients: number, asked?: number): number | null;
  /**
   * Writes a second of the arm that does the fewest, as this repetition has them; null while not all have.
   */
  capacity(): number | null;
}

export type Scenario = (system: System, terms: Terms) => Promise<Values>;

export const SCENARIOS = {
  steady,
  shares,
  workloads,
  oneAsked,
  sizes,
  sweep,
  five,
  takeovers,
  bigTree,
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

const MANY = 30;
const WANTED = 100;
const OPEN: Pace = { kind: "open", ratePerSecond: 1000 };
/** Around a kill: enough before it to be steady, and far more after it than any system takes. */
const KILL_AFTER_SECONDS = 2;
const KILL_WINDOW_SECONDS = 8;

const closed = (terms: Terms, servers: number, clients: number, asked = servers): Pace => ({
  kind: "closed",
  outstanding: Math.max(1, Math.min(WANTED, terms.most(servers, clients, asked) ?? WANTED)),
});

/**
 * Three servers: from nothing to the first write, then as many writes, reads and timely writes as there are.
 */
async function steady(system: System, terms: Terms): Promise<Values> {
  const { effort } = terms;
  await using ensemble = await prepareEnsemble(system, 3);
  const start = await firstWriteMs(ensemble);
  await ensemble.ready();
  const many = { ...effort, clients: MANY, pace: closed(terms, 3, MANY) };
  const writes = await measure(ensemble, { ...many, request: "setData" });
  const reads = await measure(ensemble, { ...many, request: "getData" });
  const newest = await measure(ensemble, { ...many, request: "getData", newest: true });
  const mixed = await measure(ensemble, { ...many, request: "mixed" });
  const open = await measure(ensemble, { ...effort, request: "setData", pace: OPEN, clients: MANY });
  return {
    start: [start],
    writes3: [writes.perSecond],
    cpu3: [writes.cpuMsPerThousand],
    disk3: writes.diskKbPerWrite,
    reads3: [reads.perSecond],
    newest3: [newest.perSecond],
    mixed3: [mixed.perSecond],
    p50: [open.result.latencyMs.p50],
    p99: [open.result.latencyMs.p99],
    cpuOpen: [open.cpuMsPerThousand],
    diskOpen: open.diskKbPerWrite,
    others: [writes, reads, newest, mixed, open].map(({ othersPercent }) => othersPercent),
    resident: [open.residentBytes / ensemble.servers.length / 1e6],
  };
}

/** An open loop: the same to do for all, by what the slowest of them can. */
async function shares(system: System, terms: Terms): Promise<Values> {
  const capacity = terms.capacity();
  if (capacity === null) throw new NotCounted("not every arm's writes/s are known (scenario steady)");
  await using ensemble = await startEnsemble(system, 3);
  const values: Record<string, readonly number[]> = { capacity: [capacity] };
  for (const share of SHARES) {
    const pace: Pace = { kind: "open", ratePerSecond: Math.round((share / 100) * capacity) };
    const wanted = { ...terms.effort, request: "setData", clients: MANY, pace } as const;
    const { result } = await measure(ensemble, wanted);
    values[shareName(share, "p50")] = [result.latencyMs.p50];
    values[shareName(share, "p99")] = [result.latencyMs.p99];
  }
  return values;
}

/** What comes and goes, and what others are told of. */
async function workloads(system: System, terms: Terms): Promise<Values> {
  await using ensemble = await startEnsemble(system, 3);
  const many = { ...terms.effort, clients: MANY, pace: closed(terms, 3, MANY) } as const;
  const churn = await measure(ensemble, { ...many, request: "churn" });
  const watched = await measure(ensemble, { ...many, request: "watched" });
  return { churn3: [churn.perSecond], watched3: [watched.perSecond] };
}

/** All clients at one server of three: at the leader, and at one that has to ask it. */
async function oneAsked(system: System, terms: Terms): Promise<Values> {
  await using ensemble = await startEnsemble(system, 3);
  const leader = await ensemble.leader();
  const followers = ensemble.servers.filter((server) => server !== leader);
  const one = { ...terms.effort, clients: MANY, pace: closed(terms, 3, MANY, 1) } as const;
  const at = async (asked: readonly ServerProcess[], request: "setData" | "getData"): Promise<number[]> => [
    (await measure(ensemble, { ...one, asked: asked.slice(0, 1), request })).perSecond,
  ];
  return {
    leaderWrites: await at([leader], "setData"),
    leaderReads: await at([leader], "getData"),
    followerWrites: await at(followers, "setData"),
    followerReads: await at(followers, "getData"),
  };
}

/** Small values and large ones. */
async function sizes(system: System, terms: Terms): Promise<Values> {
  await using ensemble = await startEnsemble(system, 3);
  const many = { ...terms.effort, request: "setData", clients: MANY, pace: closed(terms, 3, MANY) } as const;
  const small = await measure(ensemble, { ...many, payloadBytes: 100 });
  const large = await measure(ensemble, { ...many, payloadBytes: 10 * 1024 });
  return { writes100: [small.perSecond], writes10k: [large.perSecond] };
}

/** More clients, and more under way at each, as far as every arm admits it. */
async function sweep(system: System, terms: Terms): Promise<Values> {
  await using ensemble = await startEnsemble(system, 3);
  const values: Record<string, readonly number[]> = {};
  for (const clients of CLIENTS) {
    for (const outstanding of OUTSTANDING) {
      if (outstanding > (terms.most(3, clients) ?? outstanding)) continue;
      const pace: Pace = { kind: "closed", outstanding };
      const { perSecond } = await measure(ensemble, { ...terms.effort, request: "setData", clients, pace });
      values[sweepName(clients, outstanding)] = [perSecond];
    }
  }
  return values;
}

async function five(system: System, terms: Terms): Promise<Values> {
  await using ensemble = await startEnsemble(system, 5);
  const wanted = { ...terms.effort, request: "setData", clients: 10, pace: closed(terms, 5, 10) } as const;
  const writes = await measure(ensemble, wanted);
  const reads = await measure(ensemble, { ...wanted, request: "getData" });
  return {
    writes5: [writes.perSecond],
    reads5: [reads.perSecond],
    cpu5: [writes.cpuMsPerThousand],
    others: [writes, reads].map(({ othersPercent }) => othersPercent),
  };
}

/** The leader of three is killed under load, again and again; each time it comes back before the next. */
async function takeovers(system: System, { effort }: Terms): Promise<Values> {
  await using ensemble = await startEnsemble(system, 3);
  const gap: number[] = [];
  const stall: number[] = [];
  const unknown: number[] = [];
  for (let kill = 0; kill < effort.kills; kill++) {
    const leader = await ensemble.leader();
    let killed = 0;
    let busySeconds = 0;
    let serverSeconds = 0;
    let dying = Promise.resolve(0);
    const window = { warmUpSeconds: effort.warmUpSeconds, seconds: KILL_WINDOW_SECONDS, clients: MANY };
    const result = await ensemble.load(loadPlan(ensemble, { ...window, request: "setData", pace: OPEN }), {
      begin: () => {
        busySeconds = -machineBusySeconds();
        serverSeconds = -ensemble.use().cpuSeconds;
        dying = delay(KILL_AFTER_SECONDS * 1e3).then(async () => {
          // What it used goes with it.
          serverSeconds += leader.use().cpuSeconds;
          killed = monotonic();
          await leader.kill();
          return monotonic();
        });
      },
      end: () => {
        busySeconds += machineBusySeconds();
        serverSeconds += ensemble.use().cpuSeconds;
      },
    });
    othersIn(busySeconds, serverSeconds, result);
    const seen = takeover(result.samples, killed, await dying);
    if (seen === null) throw new Error(`${system.name}: nobody was served after the leader was killed`);
    gap.push(seen.gapMs);
    stall.push(seen.stallMs);
    unknown.push(result.unknown);
    leader.start();
    await ensemble.ready();
  }
  return { gap, stall, unknown };
}

/** The client is there before the servers are. */
async function firstWriteMs(ensemble: Ensemble): Promise<number> {
  let started = 0;
  let served = 0;
  const nothing = { request: "setData", pace: OPEN, clients: 1, warmUpSeconds: 0, seconds: 0 } as const;
  await ensemble.load(loadPlan(ensemble, nothing), {
    up: () => {
      started = monotonic();
      for (const server of ensemble.servers) server.start();
    },
    ready: (at) => (served = at),
  });
  return (served - started) / 1e3;
}
