/** Where a trial runs when nobody said where: on real processes if this machine can, else in virtual time. */

import { CannotRunHere, demandNamespaces, demandTun, isNetemHere } from "../testbed/environment.ts";
import { RefusedInput, suggestion } from "../topology-problem.ts";
import { type Runtime, RUNTIMES, type System } from "./plan.ts";

export interface ChosenRuntime {
  readonly runtime: Runtime;
  /** For people: why this one. */
  readonly reason: string;
}

/** Throws a RefusedInput when there is no such runtime. */
export function runtimeOf(given: string | undefined, system: System): ChosenRuntime {
  if (!given || given === "auto") return bestHere(system);
  const runtime = RUNTIMES.find((one) => one === given);
  if (runtime === undefined) {
    throw new RefusedInput(`--runtime: there is no "${given}"${suggestion(given, ["auto", ...RUNTIMES])}`);
  }
  if (runtime === "sim" && system === "zookeeper") {
    throw new RefusedInput("--runtime: zookeeper is real processes and does not run in virtual time");
  }
  return { runtime, reason: "as asked for" };
}

function bestHere(system: System): ChosenRuntime {
  try {
    demandNamespaces();
    if (isNetemHere()) return { runtime: "netns", reason: "network namespaces, delays by netem" };
    demandTun();
    return { runtime: "netns", reason: "network namespaces, delays by the packet plane" };
  } catch (error) {
    if (!(error instanceof CannotRunHere)) throw error;
    if (system === "zookeeper") throw error;
    return { runtime: "sim", reason: `virtual time, because: ${error.message}` };
  }
}
