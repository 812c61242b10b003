/** Where a trial runs when nobody said where: on real processes if this machine can, else in virtual time. */

import { CannotRunHere, demandNamespaces, demandTun, isNetemHere, isRoot } from "../testbed/environment.ts";
import { isDaemonRunning } from "../testbed/infrastructure/daemon.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { type Runtime, RUNTIMES } from "../plan/plan.ts";
import { type SystemName, SYSTEMS } from "../system/catalog.ts";

export interface ChosenRuntime {
  readonly runtime: Runtime;
  /** For people: why this one. */
  readonly reason: string;
}

/** Whatever among the things asked for keeps it from running somewhere. */
export interface RuntimeDemand {
  readonly systems: readonly SystemName[];
  /** An oracle of one's own, which no image holds. */
  readonly ownOracle: boolean;
  /** Disks and clocks that go wrong when they are told to, which no image has. */
  readonly bends: boolean;
}

/** Throws a RefusedInput when there is no such runtime. */
export async function runtimeOf(given: string | undefined, demand: RuntimeDemand): Promise<ChosenRuntime> {
  if (!given || given === "auto") return bestHere(demand);
  const runtime = RUNTIMES.find((one) => one === given);
  if (runtime === undefined) {
    throw new RefusedInput(`--runtime: there is no "${given}"${suggestion(given, ["auto", ...RUNTIMES])}`);
  }
  const unfit = demand.systems.find((system) => !runsIn(system, runtime));
  if (unfit !== undefined) {
    const { title, runtimes } = SYSTEMS[unfit];
    throw new RefusedInput(`--runtime: ${title} does not run in ${runtime}: take ${runtimes.join(" or ")}`);
  }
  return { runtime, reason: "as asked for" };
}

async function bestHere({ systems, ownOracle, bends }: RuntimeDemand): Promise<ChosenRuntime> {
  try {
    demandNamespaces();
    const isNetem = isNetemHere();
    if (!isNetem) demandTun();
    const delays = isNetem ? "delays by netem" : "delays by the packet plane";
    const fitsImage = systems.every((system) => runsIn(system, "docker")) && !ownOracle && !bends;
    if (fitsImage && isRoot() && (await isDaemonRunning())) {
      return { runtime: "docker", reason: `containers of the Docker daemon that runs, ${delays}` };
    }
    return { runtime: "netns", reason: `network namespaces, ${delays}` };
  } catch (error) {
    if (!(error instanceof CannotRunHere)) throw error;
    if (!systems.every((system) => runsIn(system, "sim"))) throw error;
    return { runtime: "sim", reason: `virtual time, because: ${error.message}` };
  }
}

const runsIn = (system: SystemName, runtime: Runtime): boolean => SYSTEMS[system].runtimes.includes(runtime);
