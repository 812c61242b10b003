/** How long trials will take, for who waits for them; rough, and corrected by those that are done. */

import type { ServicePlan } from "../plan/plan.ts";
import { keptSummary } from "./kept-summary.ts";

/** Nothing when it was carried out already. */
export function expectedSeconds(folder: string, plan: ServicePlan): number {
  return keptSummary(folder, plan).kind === "kept" ? 0 : secondsOf(plan);
}

export function secondsOf({ runtime, phases, subject }: ServicePlan): number {
  const load = phases.duration / 1e6;
  const simulated = load * subject.workload.ratePerSecond * SIMULATED_REQUEST + CHARTS;
  return runtime === "sim" ? simulated : load + AROUND_THE_LOAD;
}

/** A write of five servers, simulated and measured. */
const SIMULATED_REQUEST = 50e-6;
const CHARTS = 1;
/** For the network, its calibration, the ensemble, reading back and the report. */
const AROUND_THE_LOAD = 15;
