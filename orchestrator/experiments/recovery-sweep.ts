/** What the parts of Figure 8 share: a leader dies while some servers lack a large part of the state. */

import { type ServerId, serverId } from "#node/core/identity.ts";
import { type Duration, seconds } from "#node/core/time.ts";
import type { OracleName } from "#node/oracle/catalog.ts";
import { type Middle, middleOf } from "../statistics/middle.ts";
import type { Topology } from "../topology/topology.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { type ExperimentRun, paperPlan, type Setting, settlingLonger } from "./experiment.ts";

/** Up to what size a setting goes; in virtual time all state is in one process's memory. */
export function megabytesOf({ quick, runtime, megabytes }: Setting): readonly number[] {
  if (megabytes.length > 0) return megabytes;
  if (quick) return [0, 20, 40];
  return runtime === "sim" ? [0, 25, 50, 100] : [0, 1, 50, 100, 250];
}

/** The paper's sizes that are left out, and why. */
export function sizesLeftOut(setting: Setting): readonly string[] {
  const own = megabytesOf(setting);
  const left = PAPER_MEGABYTES.filter((megabytes) => !own.includes(megabytes));
  if (left.length === 0) return [];
  const why =
    setting.megabytes.length > 0
      ? "STATE= does not name them"
      : setting.quick
        ? "short phases end before they could be fetched; STATE=1,50,100,250 runs them"
        : "in virtual time all state is in the memory of one process";
  return [`${left.join(", ")} MB: ${why}`];
}

/** The absent come back before the leader dies, which cannot bring them level: see `InitialState`. */
export function outdatedPlan(
  topology: Topology,
  oracle: OracleName,
  absent: readonly number[],
  megabytes: number,
  setting: Setting,
  index: number,
): ServicePlan {
  const fetching = seconds(Math.max(0, megabytes - FITS) / SLOWEST);
  const usual = paperPlan(topology, oracle, setting, index);
  // The service is back as soon as one of them is level; the clients of the others wait on.
  const plan = absent.length > 1 ? settlingLonger(usual, fetching) : usual;
  return {
    ...plan,
    phases: {
      ...plan.phases,
      duration: (plan.phases.duration + fetching) as Duration,
      drain: seconds(DRAIN),
    },
    subject: {
      ...plan.subject,
      state: {
        bytes: megabytes * 1e6,
        absent: absent.map((server): ServerId => serverId(server)),
        historyBytes: 2 ** 20,
      },
    },
    faults: plan.faults.flatMap((crash) => [
      { at: (crash.at - COME_BACK) as Duration, fault: { kind: "restart", target: { kind: "crashed" } } },
      crash,
    ]),
  };
}

/** As the paper counts: from the new leader recognising itself to its first write. */
export function recoveryOf(runs: readonly ExperimentRun[]): Middle | null {
  return middleOf(runs.flatMap(({ summary }) => summary.recovery?.paperMs ?? []));
}

/** Besides next to nothing. */
const PAPER_MEGABYTES = [50, 100, 250];
/** Megabytes a second of one TCP connection over 77 ms with this kernel's buffers, and its slow start. */
const SLOWEST = 25;
/** Megabytes that are fetched within the phases as they are. */
const FITS = 50;
/** To start a process on a busy machine, and to be connected to everybody again. */
const COME_BACK = seconds(1.5);
/** An outdated follower is brought level long after the service is back. */
const DRAIN = 20;
