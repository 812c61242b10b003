/**
 * How near the network comes to its topology while the load lasts: a second certificate, by a few probes
 * among the packets of the service.
 */

import { setTimeout as delay } from "node:timers/promises";
import { faultAt, type ServicePlan } from "../../plan/plan.ts";
import type { Certificate } from "../../testbed/network/certificate.ts";
import type { Testbed } from "../../testbed/testbed.ts";

/**
 * Between two probes of one pair of machines: some 400 packets a second, where the service sends thousands.
 */
const INTERVAL = 140_000;
/** The mean of so many round trips is the mean to a fraction of a percent. */
const MOST_ROUNDS = 60;
const LEAST_ROUNDS = 10;
/** Handshakes come after the probes, and all must be over when the fault comes. */
const SPARE = 2e6;

/** Null when the first steady state is too short for it, or the trial was stopped. Begins with the load. */
export async function measureUnderLoad(
  testbed: Testbed,
  plan: ServicePlan,
  signal: AbortSignal,
): Promise<Certificate | null> {
  const { warmUp } = plan.phases;
  const rounds = Math.min(MOST_ROUNDS, Math.floor((faultAt(plan) - warmUp - SPARE) / INTERVAL));
  if (rounds < LEAST_ROUNDS) return null;
  try {
    await delay(warmUp / 1e3, undefined, { signal });
  } catch {
    return null;
  }
  return testbed.certify({ condition: "loaded", rounds, interval: INTERVAL });
}
