/** What a run is made of. */

import type { Mutant } from "#node/core/mutant.ts";
import type { ElectionName } from "#node/election/catalog.ts";
import { type SystemName, SYSTEMS } from "../system/catalog.ts";
import { BENDING, FORGETTING, RENEWING, type Strike } from "./schedule.ts";

export interface Torture {
  readonly system: SystemName;
  /** The system's own choice, when nothing is said. */
  readonly election?: ElectionName;
  readonly mutant: Mutant | null;
  readonly topology: string;
  readonly seed: number;
  /** How long the nemesis strikes. */
  readonly seconds: number;
  readonly clients: number;
  readonly kinds: readonly Strike[];
  /** A folder for what the servers and the clients of a run wrote that was not found valid. */
  readonly keep?: string;
}

/** Twenty ticks: the most that ZooKeeper grants. */
export const SESSION_TIMEOUT_MS = 4000;
export const TICK_MS = SESSION_TIMEOUT_MS / 20;

/** Of the plan's, those that its system is built to bear. */
export function kindsFor({ system, kinds }: Torture): readonly Strike[] {
  const { bends, torture, promises } = SYSTEMS[system];
  return kinds.filter(
    (kind) =>
      (bends.length > 0 || !BENDING.has(kind)) &&
      (torture.returnsWithNewDisk || !RENEWING.has(kind)) &&
      (promises.goesOn || !FORGETTING.has(kind)),
  );
}
