/**
 * Three times what the servers can take, in an open loop that does not care. They should read from their
 * clients only as fast as they answer (TCP tells the clients), keep their memory, answer who asks one thing
 * at a time in bounded time, and be as before as soon as it is over.
 */

import { setTimeout as delay } from "node:timers/promises";
import { type Ensemble, startEnsemble } from "../system/ensemble.ts";
import { monotonic } from "#node/host/monotonic.ts";
import type { LatencySummary, LoadPlan, LoadResult, Pace } from "../workload/load/plan.ts";
import type { System } from "../system/system.ts";
import { Modest, type Waits } from "./modest.ts";

export interface Overloading {
  /** How many times its capacity is offered. */
  readonly times: number;
  readonly seconds: number;
  readonly payloadBytes: number;
}

export interface Overloaded {
  /** Acknowledged in a second, in a closed loop. */
  readonly capacity: number;
  readonly offered: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  /** Due, and never sent, because the servers took no more. */
  readonly heldBack: number;
  /** From when it was sent into its socket. */
  readonly admittedMs: LatencySummary;
  /**
   * Clients that ask one thing at a time; `recoveryMs`: from the end of the load until they wait as before.
   */
  readonly modest: {
    readonly before: Waits;
    readonly during: Waits;
    /** The last second that was looked at. */
    readonly after: Waits;
    readonly recoveryMs: number;
  };
  /** The most that a server took: at capacity, and overloaded. */
  readonly residentMb: { readonly capacity: number; readonly overloaded: number };
  /** Processor time of all servers for a thousand writes, in ms: likewise. */
  readonly cpuMs: { readonly capacity: number; readonly overloaded: number };
}

const CLIENTS = 6;
const CLOSED: Pace = { kind: "closed", outstanding: 500 };
const WARM_UP_SECONDS = 2;
const LOOK_MS = 100;
/** Looked at after the load, to see when it is as before. */
const AFTERMATH_MS = 5000;
/** As before: not slower than the slowest hundredth was, twice, and a tick of any timer. */
const asBefore = ({ p99Ms }: Waits): number => 2 * p99Ms + 10;

export async function overloaded(
  system: System,
  { times, seconds, payloadBytes }: Overloading,
  progress: (phase: string) => void,
): Promise<Overloaded> {
  await using ensemble = await startEnsemble(system, 3);
  const plan = (pace: Pace): LoadPlan => ({
    ports: ensemble.servers.map(({ clientPort }) => clientPort),
    clients: CLIENTS,
    request: "setData",
    payloadBytes,
    pace,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds,
  });
  progress("capacity");
  const atCapacity = await watched(ensemble, plan(CLOSED));
  const capacity = atCapacity.result.acknowledged / atCapacity.result.seconds;

  progress("overload");
  const offered = Math.round(times * capacity);
  using modest = await Modest.at(ensemble);
  await delay(2000);
  const begun = monotonic();
  const over = await watched(ensemble, plan({ kind: "open", ratePerSecond: offered }));
  await delay(AFTERMATH_MS);
  const ended = monotonic();
  const before = modest.waits(0, begun);
  const during = modest.waits(over.from, over.until);
  const { acknowledged, refused, unknown, heldBack, serviceMs } = over.result;
  return {
    capacity,
    offered,
    acknowledged: acknowledged / over.result.seconds,
    refused,
    unknown,
    heldBack,
    admittedMs: serviceMs,
    modest: {
      before,
      during,
      after: modest.waits(ended - 1e6, ended),
      recoveryMs: Math.max(0, modest.lastSlow(over.until, asBefore(before)) - over.until) / 1e3,
    },
    residentMb: { capacity: atCapacity.residentMb, overloaded: over.residentMb },
    cpuMs: { capacity: atCapacity.cpuMs, overloaded: over.cpuMs },
  };
}

interface Watched {
  readonly result: LoadResult;
  /** When the counted time began and ended. */
  readonly from: number;
  readonly until: number;
  readonly residentMb: number;
  readonly cpuMs: number;
}

async function watched(ensemble: Ensemble, plan: LoadPlan): Promise<Watched> {
  let [from, until, residentMb, cpuSeconds] = [0, 0, 0, 0];
  const look = setInterval(() => {
    for (const server of ensemble.servers) {
      residentMb = Math.max(residentMb, server.use().residentBytes / 1e6);
    }
  }, LOOK_MS);
  try {
    const result = await ensemble.load(plan, {
      begin: () => {
        from = monotonic();
        cpuSeconds = -ensemble.use().cpuSeconds;
      },
      end: () => {
        until = monotonic();
        cpuSeconds += ensemble.use().cpuSeconds;
      },
    });
    return { result, from, until, residentMb, cpuMs: (cpuSeconds * 1e6) / result.acknowledged };
  } finally {
    clearInterval(look);
  }
}
