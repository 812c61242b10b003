/** Where a trial runs when nobody said where: on real processes if this machine can, else in virtual time. */

import { CannotRunHere, demandNamespaces, demandTun, isNetemHere, isRoot } from "../testbed/environment.ts";
import { isDaemonRunning } from "../testbed/infrastructure/daemon.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { type Runtime, RUNTIMES } from "../plan/plan.ts";

export interface ChosenRuntime {
  readonly runtime: Runtime;
  /** For people: why this one. */
  readonly reason: string;
}

/** Whatever among the things asked for keeps it from running somewhere. */
export interface RuntimeDemand {
  /** Real processes that no image holds: ZooKeeper. */
  readonly zookeeper: boolean;
  /** An oracle of one's own, which no image holds either. */
  readonly ownOracle: boolean;
}

/** Throws a RefusedInput when there is no such runtime. */
export async function runtimeOf(given: string | undefined, demand: RuntimeDemand): Promise<ChosenRuntime> {
  if (!given || given === "auto") return bestHere(demand);
  const runtime = RUNTIMES.find((one) => one === given);
  if (runtime === undefined) {
    throw new RefusedInput(`--runtime: there is no "${given}"${suggestion(given, ["auto", ...RUNTIMES])}`);
  }
  if (runtime === "sim" && demand.zookeeper) {
    throw new RefusedInput("--runtime: zookeeper is real processes and does not run in virtual time");
  }
  return { runtime, reason: "as asked for" };
}

async function bestHere({ zookeeper, ownOracle }: RuntimeDemand): Promise<ChosenRuntime> {
  try {
    demandNamespaces();
    const isNetem = isNetemHere();
    if (!isNetem) demandTun();
    const delays = isNetem ? "delays by netem" : "delays by the packet plane";
    const fitsImage = !zookeeper && !ownOracle;
    if (fitsImage && isRoot() && (await isDaemonRunning())) {
      return { runtime: "docker", reason: `containers of the Docker daemon that runs, ${delays}` };
    }
    return { runtime: "netns", reason: `network namespaces, ${delays}` };
  } catch (error) {
    if (!(error instanceof CannotRunHere)) throw error;
    if (zookeeper) throw error;
    return { runtime: "sim", reason: `virtual time, because: ${error.message}` };
  }
}
