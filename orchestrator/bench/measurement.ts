/** One measurement of an ensemble under load, with what it cost; or why it is none. */

import { availableParallelism } from "node:os";
import type { Ensemble, ServerProcess } from "../system/ensemble.ts";
import { machineBusySeconds, type ProcessUse } from "../system/process-use.ts";
import type { LoadPlan, LoadResult } from "../workload/load/plan.ts";
import { PAYLOAD_BYTES } from "./payload.ts";

/** Seconds; shorter ones are good for trying, not for believing. */
export interface Effort {
  /** At least; then until it is steady. */
  readonly warmUpSeconds: number;
  readonly steadyWithinSeconds: number;
  readonly seconds: number;
  readonly kills: number;
}

/** Of all processors: more than this is not what a machine at rest does by itself. */
export const QUIET_PERCENT = 10;

/** It was measured, and does not count. */
export class NotCounted extends Error {
  override readonly name = "NotCounted";
}

export type Wanted = Pick<LoadPlan, "clients" | "request" | "pace" | "warmUpSeconds" | "seconds"> &
  Partial<Pick<LoadPlan, "payloadBytes" | "newest" | "steadyWithinSeconds">> & {
    /** All of them where nobody says which. */
    readonly asked?: readonly ServerProcess[];
  };

export const loadPlan = (ensemble: Ensemble, wanted: Wanted): LoadPlan => ({
  ports: (wanted.asked ?? ensemble.servers).map(({ clientPort }) => clientPort),
  clients: wanted.clients,
  request: wanted.request,
  newest: wanted.newest ?? false,
  pace: wanted.pace,
  payloadBytes: wanted.payloadBytes ?? PAYLOAD_BYTES,
  warmUpSeconds: wanted.warmUpSeconds,
  steadyWithinSeconds: wanted.steadyWithinSeconds ?? null,
  seconds: wanted.seconds,
});

export interface Measured {
  readonly result: LoadResult;
  readonly perSecond: number;
  readonly cpuMsPerThousand: number;
  /** Nothing where the disk is none that the kernel keeps books of. */
  readonly diskKbPerWrite: readonly number[];
  readonly residentBytes: number;
  /** Of all processors: what was not for us to use, and what a hypervisor took. */
  readonly othersPercent: number;
}

export async function measure(ensemble: Ensemble, wanted: Wanted): Promise<Measured> {
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
  if (lost > 0 || result.acknowledged === 0)
    throw new NotCounted(`${result.acknowledged} acknowledged, ${lost} not`);
  const serverSeconds = after.cpuSeconds - before.cpuSeconds;
  const othersPercent = othersIn(busySeconds, serverSeconds, result);
  if (result.steady === false)
    throw new NotCounted(`still not steady after ${result.warmUpSeconds.toFixed(0)} s`);
  return {
    result,
    perSecond: result.acknowledged / result.seconds,
    cpuMsPerThousand: (serverSeconds * 1e6) / result.acknowledged,
    diskKbPerWrite:
      diskBefore === null || diskAfter === null ? [] : [(diskAfter - diskBefore) / 1e3 / result.acknowledged],
    othersPercent,
    residentBytes: after.residentBytes,
  };
}

/**
 * Of all processors, what neither servers nor load used of the time that they were busy; rejects where that
 * is more than a machine at rest does by itself.
 */
export function othersIn(
  busySeconds: number,
  serverSeconds: number,
  { cpuSeconds, seconds }: Pick<LoadResult, "cpuSeconds" | "seconds">,
): number {
  const others = Math.max(0, busySeconds - serverSeconds - cpuSeconds);
  const percent = (100 * others) / (seconds * availableParallelism());
  if (percent > QUIET_PERCENT)
    throw new NotCounted(`others took ${percent.toFixed(0)} % of the processors meanwhile`);
  return percent;
}
