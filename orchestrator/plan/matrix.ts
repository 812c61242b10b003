/**
 * Several arms (oracles, or systems), each run several times, so that they can be compared fairly.
 *
 * Machines warm up, disks fill and neighbours come and go: whatever changes slowly must not fall on one arm
 * alone. So runs come in rounds, one of each arm in a drawn order, and who stops early has whole rounds. The
 * first run of every arm has the same seed, so the same requests at the same times, and so has the second:
 * differences are taken within such pairs. One more arm repeats the first with other seeds; the difference
 * between these two is what no difference looks like.
 */

import { Random } from "#node/core/random.ts";
import type { ElectionChoice } from "#node/election/catalog.ts";
import type { TimedFault } from "../fault/fault.ts";
import { DEFAULT_SYSTEM, type SystemName } from "../system/catalog.ts";
import { type OraclePlan, type ServicePlan, withService } from "./plan.ts";

export interface Cell {
  /** Names its folder, and is how a finished cell is known again. */
  readonly id: string;
  readonly arm: string;
  /** What its runs are paired by. */
  readonly repetition: number;
  readonly plan: ServicePlan;
}

/** An oracle of the catalog, one of one's own, another system with its own election, or another election. */
export type Arm = OraclePlan | SystemArm | ElectionArm;

export interface SystemArm {
  readonly system: SystemName;
  readonly name: string;
  readonly module: null;
}

export interface ElectionArm {
  readonly election: ElectionChoice;
  readonly name: string;
  readonly module: null;
  /** Besides those of the plan. */
  readonly faults: readonly TimedFault[];
}

export const systemArm = (system: SystemName): SystemArm => ({ system, name: system, module: null });

export const AGAIN = "again";

/** In the order in which they are to be run. */
export function cellsOf(plan: ServicePlan, arms: readonly Arm[], repetitions: number): readonly Cell[] {
  const random = new Random(plan.seed, ORDER_STREAM);
  const [first] = arms;
  return Array.from({ length: repetitions }, (_, repetition) => {
    const cellOf = (arm: string, of: Arm, offset = 0): Cell => {
      const seeded = { ...plan, seed: plan.seed + offset + repetition };
      return { id: `${arm}-${repetition + 1}`, arm, repetition, plan: withArm(seeded, of) };
    };
    const round = arms.map((arm) => cellOf(arm.name, arm));
    if (first !== undefined && repetitions > 1)
      round.push(cellOf(`${first.name} ${AGAIN}`, first, SEEDS_APART));
    return random.shuffle(round);
  }).flat();
}

function withArm(plan: ServicePlan, arm: Arm): ServicePlan {
  if ("system" in arm) return withService(plan, { system: arm.system });
  if (!("election" in arm)) return withService(plan, { system: DEFAULT_SYSTEM, oracle: arm });
  return { ...withService(plan, { election: arm.election }), faults: [...plan.faults, ...arm.faults] };
}

const SEEDS_APART = 10_000;
const ORDER_STREAM = 300;
