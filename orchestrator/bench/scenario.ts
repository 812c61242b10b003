/**
 * What each system is put through, the same for all: each scenario brings its own ensemble and gives the
 * values it saw.
 */

import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { type Ensemble, prepareEnsemble, startEnsemble } from "../system/ensemble.ts";
import { monotonic } from "#node/host/monotonic.ts";
import type { LoadPlan, LoadResult, Pace } from "../workload/load/plan.ts";
import type { Values } from "./metric.ts";
import { PAYLOAD_BYTES } from "./payload.ts";
import { machineBusySeconds, type ProcessUse } from "../system/process-use.ts";
import type { System } from "../system/system.ts";
import { bigTree } from "./big-tree.ts";
import { takeover } from "./takeover.ts";

/** Seconds; shorter ones are good for trying, not for believing. */
export interface Effort {
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly kills: number;
}

const CLOSED: Pace = { kind: "closed", outstanding: 100 };
const OPEN: Pace = { kind: "open", ratePerSecond: 1000 };
/** Around a kill: enough before it to be steady, and far more after it than any system takes. */
const KILL_AFTER_SECONDS = 2;
const KILL_WINDOW_SECONDS = 8;

export type Scenario = (system: System, effort: Effort) => Promise<Values>;

export const SCENARIOS = { steady, five, takeovers, bigTree } as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

/**
 * Three servers: from nothing to the first write, then as many writes, reads and timely writes as there are.
 */
async function steady(system: System, effort: Effort): Promise<Values> {
  await using ensemble = await prepareEnsemble(system, 3);
  const start = await firstWriteMs(ensemble);
  await ensemble.ready();
  const writes = await measure(ensemble, { ...effort, request: "setData", pace: CLOSED, clients: 30 });
  const reads = await measure(ensemble, { ...effort, request: "getData", pace: CLOSED, clients: 30 });
  const open = await measure(ensemble, { ...effort, request: "setData", pace: OPEN, clients: 30 });
  return {
    start: [start],
    writes3: [writes.perSecond],
    cpu3: [writes.cpuMsPerThousand],
    disk3: writes.diskKbPerWrite,
    reads3: [reads.perSecond],
    p50: [open.result.latencyMs.p50],
    p99: [open.result.latencyMs.p99],
    cpuOpen: [open.cpuMsPerThousand],
    diskOpen: open.diskKbPerWrite,
    others: [writes.othersPercent, reads.othersPercent, open.othersPercent],
    resident: [open.residentBytes / ensemble.servers.length / 1e6],
  };
}

async function five(system: System, effort: Effort): Promise<Values> {
  await using ensemble = await startEnsemble(system, 5);
  const writes = await measure(ensemble, { ...effort, request: "setData", pace: CLOSED, clients: 10 });
  return { writes5: [writes.perSecond], cpu5: [writes.cpuMsPerThousand], others: [writes.othersPercent] };
}

/** The leader of three is killed under load, again and again; each time it comes back before the next. */
async function takeovers(system: System, effort: Effort): Promise<Values> {
  await using ensemble = await startEnsemble(system, 3);
  const gap: number[] = [];
  const stall: number[] = [];
  const unknown: number[] = [];
  for (let kill = 0; kill < effort.kills; kill++) {
    const leader = await ensemble.leader();
    let killed = 0;
    let dying = Promise.resolve(0);
    const plan = { warmUpSeconds: effort.warmUpSeconds, seconds: KILL_WINDOW_SECONDS, clients: 30 };
    const result = await ensemble.load(loadPlan(ensemble, { ...plan, request: "setData", pace: OPEN }), {
      begin: () => {
        dying = delay(KILL_AFTER_SECONDS * 1e3).then(async () => {
          killed = monotonic();
          await leader.kill();
          return monotonic();
        });
      },
    });
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

type Wanted = Pick<LoadPlan, "clients" | "request" | "pace" | "warmUpSeconds" | "seconds">;

function loadPlan(ensemble: Ensemble, wanted: Wanted): LoadPlan {
  const { clients, request, pace, warmUpSeconds, seconds } = wanted;
  const ports = ensemble.servers.map(({ clientPort }) => clientPort);
  return { ports, clients, request, pace, warmUpSeconds, seconds, payloadBytes: PAYLOAD_BYTES };
}

interface Measured {
  readonly result: LoadResult;
  readonly perSecond: number;
  readonly cpuMsPerThousand: number;
  /** Nothing where the disk is none that the kernel keeps books of. */
  readonly diskKbPerWrite: readonly number[];
  readonly residentBytes: number;
  /** Of all processors: what was not for us to use. */
  readonly othersPercent: number;
}

async function measure(ensemble: Ensemble, wanted: Wanted): Promise<Measured> {
  const nothing: ProcessUse = { cpuSeconds: 0, residentBytes: 0 };
  let [before, after] = [nothing, nothing];
  let diskBefore: number | null = null;
  let diskAfter: number | null = null;
  let busySeconds = 0;
  const result = await ensemble.load(loadPlan(ensemble, wanted), {
    begin: () => {
      before = ensemble.use();
      diskBefore = ensemble.diskBytes();
      busySeconds = -machineBusySeconds();
    },
    end: () => {
      after = ensemble.use();
      diskAfter = ensemble.diskBytes();
      busySeconds += machineBusySeconds();
    },
  });
  const lost = result.refused + result.unknown;
  if (lost > 0 || result.acknowledged === 0) {
    const told = `${result.acknowledged} acknowledged, ${lost} not`;
    throw new Error(`no measurement: ${told}; does anything else use this machine?`);
  }
  const serverSeconds = after.cpuSeconds - before.cpuSeconds;
  const othersSeconds = busySeconds - serverSeconds - result.cpuSeconds;
  return {
    result,
    perSecond: result.acknowledged / result.seconds,
    cpuMsPerThousand: (serverSeconds * 1e6) / result.acknowledged,
    diskKbPerWrite:
      diskBefore === null || diskAfter === null ? [] : [(diskAfter - diskBefore) / 1e3 / result.acknowledged],
    othersPercent: (100 * Math.max(0, othersSeconds)) / (result.seconds * availableParallelism()),
    residentBytes: after.residentBytes,
  };
}
