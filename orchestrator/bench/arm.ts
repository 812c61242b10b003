/** Who is measured: each system as it comes or as it is tuned, and ours once more. */

import { DEFAULT_SYSTEM, SYSTEM_NAMES, type SystemName, SYSTEMS } from "../system/catalog.ts";
import type { System } from "../system/system.ts";
import { AGAIN } from "./comparison.ts";

/** Whose share the ratios are. */
export const OURS = DEFAULT_SYSTEM;
/** The very same under another name: whatever differs there is noise. */
export const OURS_AGAIN = `${OURS} ${AGAIN}`;

export const ARMS: readonly string[] = [...SYSTEM_NAMES, OURS_AGAIN];

export const systemOf = (arm: string): System => SYSTEMS[(arm === OURS_AGAIN ? OURS : arm) as SystemName];

/**
 * How many requests each client may have under way so that no server of any arm has more than it admits: a
 * load beyond that would measure who refuses how. Null where all admit whatever comes. `asked`: of so many
 * servers, if not all of them.
 */
export function mostOutstanding(
  arms: readonly string[],
  servers: number,
  clients: number,
  asked = servers,
): number | null {
  const limits = arms.flatMap((arm) => systemOf(arm).admits(servers) ?? []);
  if (limits.length === 0) return null;
  // Clients go to servers in turn, so one may have one client more than its share.
  return Math.floor(Math.min(...limits) / Math.ceil(clients / asked));
}
