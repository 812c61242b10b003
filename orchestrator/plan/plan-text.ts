/** A plan as text and back: the effective configuration that is stored with every run. */

import { z } from "zod";
import type { TimedFault } from "../fault/fault.ts";
import { parseFault, printTimedFault } from "../fault/words.ts";
import { printTopology, readTopologyText } from "../topology/text.ts";
import type { Topology } from "../topology/topology.ts";
import { RUNTIMES, type TrialPlan } from "./plan.ts";
import { printService, serviceFile, span } from "./service-text.ts";

/** Equal plans are equal texts, in whatever order their fields came. */
export function printPlan(plan: TrialPlan): string {
  const { topology, phases } = plan;
  const file: PlanFile = {
    format: FORMAT,
    topology: topology.name,
    network: JSON.parse(printTopology(topology)) as unknown,
    runtime: plan.runtime,
    subject: printService(plan.subject),
    faults: plan.faults.map(printTimedFault),
    phasesUs: {
      warmUp: phases.warmUp,
      duration: phases.duration,
      settle: phases.settle,
      drain: phases.drain,
    },
    seed: plan.seed,
  };
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** The plan, or what is wrong with the text. */
export function parsePlan(text: string): TrialPlan | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return `no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  const parsed = planFile.safeParse(withSubject(json));
  if (!parsed.success) return z.prettifyError(parsed.error);
  const { format: _format, topology: name, network, phasesUs, faults, ...rest } = parsed.data;
  const topology = readTopologyText(JSON.stringify(network), name);
  const timed = parseFaults(faults, topology);
  if (typeof timed === "string") return timed;
  return { ...rest, topology, faults: timed, phases: phasesUs };
}

/** In the first format all trials were of services, whose fields stood among the others. */
function withSubject(json: unknown): unknown {
  const first = firstFormat.safeParse(json);
  if (!first.success) return json;
  const { system, election, oracle, heartbeatUs, firstLeader, workload, state, ...rest } = first.data;
  const subject = { kind: "service", system, election, oracle, heartbeatUs, firstLeader, workload, state };
  return { ...rest, format: FORMAT, subject };
}

function parseFaults(texts: readonly string[], topology: Topology): readonly TimedFault[] | string {
  const faults: TimedFault[] = [];
  for (const text of texts) {
    const parsed = parseFault(text, topology);
    if (typeof parsed === "string") return parsed;
    faults.push(parsed);
  }
  return faults;
}

const FORMAT = "polebench trial 2";
const firstFormat = z.looseObject({ format: z.literal("polebench trial 1") });

const planFile = z.object({
  format: z.literal(FORMAT),
  topology: z.string(),
  network: z.unknown(),
  runtime: z.enum(RUNTIMES),
  subject: serviceFile,
  faults: z.array(z.string()),
  phasesUs: z.object({ warmUp: span, duration: span, settle: span, drain: span }),
  seed: z.number(),
});

type PlanFile = z.input<typeof planFile>;
