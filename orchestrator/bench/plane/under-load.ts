/** The plane while it serves: five replicas in 3dc and their clients, 1,000 writes a second. */

import type { ServiceRecording } from "../../recording/recording.ts";
import { type Topology, withoutJitter } from "../../topology/topology.ts";
import { planTrial } from "../../plan/flags.ts";
import type { ServicePlan } from "../../plan/plan.ts";
import { runLive } from "../../runner/live/trial.ts";
import type { Note } from "./line.ts";

const DURATION = "20s";

export async function underLoad(note: Note, signal: AbortSignal): Promise<void> {
  const flags = { topology: "3dc", rate: "1000/s", duration: DURATION, killAt: "never" };
  const plan = planTrial(flags, "netns");
  const run = (topology: Topology): Promise<ServiceRecording> =>
    runLive({ ...plan, topology }, { command: "bench-plane", signal });
  const asShipped = await run(plan.topology);
  note("the plane at 1,000 writes/s in 3dc", "% of a core", { most: 25 }, shareOf(asShipped, plan));
  // Jitter would make the mean of a few hundred probes wander by 50 us by itself.
  const calm = await run(withoutJitter(plan.topology));
  note("the same without jitter", "% of a core", null, shareOf(calm, plan));
  const errors = (calm.certificates.loaded?.ways ?? [])
    .filter(({ from, to }) => from !== to)
    .map(({ roundTrip }) => roundTrip.udp - roundTrip.asked);
  const worst = errors.reduce((most, error) => (Math.abs(error) > Math.abs(most) ? error : most), 0);
  note("mean RTT error at 1,000 writes/s, worst pair", "us", { most: 100 }, worst);
}

function shareOf({ resources }: ServiceRecording, { phases }: ServicePlan): number {
  const used = resources.find(({ who }) => who === "network")?.cpuSeconds ?? Number.NaN;
  return (100 * used * 1e6) / phases.duration;
}
