/** Which faults cannot be carried out where a plan runs, a sentence each, before anything is started. */

import { ABILITY_OF, bendsServers, type FaultKind } from "../fault/fault.ts";
import { printTimedFault } from "../fault/words.ts";
import { SYSTEMS } from "../system/catalog.ts";
import type { ServicePlan, ServiceSubject } from "./plan.ts";

/** What decides it. */
export type FaultTerms = Pick<ServicePlan, "runtime" | "faults"> & Pick<ServiceSubject, "system">;

export function beyondReach(plan: FaultTerms): readonly string[] {
  return plan.faults.flatMap((timed) => {
    const reason = reasonAgainst(timed.fault.kind, plan);
    return reason === null ? [] : [`"${printTimedFault(timed)}": ${reason}`];
  });
}

function reasonAgainst(kind: FaultKind, { system, runtime }: FaultTerms): string | null {
  if (runtime === "sim" && OF_PACKETS.has(kind)) {
    return `virtual time passes messages on whole, it has no packets for ${kind}: take --runtime netns`;
  }
  if (kind === "leave") return "members of a group leave, servers crash: take crash";
  const { title, bends, handsOver } = SYSTEMS[system];
  if (kind === "transfer") {
    if (!handsOver) return `${title} has no way to have a server of choice lead`;
    return runtime === "docker" ? "nobody can order it in the image: take --runtime netns" : null;
  }
  if (kind === "disk-stuck" && runtime === "docker")
    return "servers of the image have no disk of their own: take --runtime netns";
  if (!bendsServers(kind)) return null;
  const ability = ABILITY_OF[kind];
  if (!bends.includes(ability)) return `${title} has no ${ability} that goes wrong when it is told to`;
  return runtime === "docker"
    ? `servers of the image have no ${ability} that goes wrong when it is told to: take --runtime netns`
    : null;
}

const OF_PACKETS: ReadonlySet<FaultKind> = new Set(["loss", "duplicate", "corrupt", "forget-any"]);
