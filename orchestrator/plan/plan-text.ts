/** A plan as text and back: the effective configuration that is stored with every run. */

import { z } from "zod";
import type { TimedFault } from "../fault/fault.ts";
import { parseFault, printTimedFault } from "../fault/words.ts";
import { printTopology, readTopologyText } from "../topology/text.ts";
import type { Topology } from "../topology/topology.ts";
import { printSubject, electionSubjectFile } from "./election-text.ts";
import { isOfService, RUNTIMES, type ServicePlan, type TrialPlan } from "./plan.ts";
import { printService, serviceFile, span } from "./service-text.ts";

/** Equal plans are equal texts, in whatever order their fields came. */
export function printPlan(plan: TrialPlan): string {
  const { topology, runtime, seed } = plan;
  const head = {
    format: FORMAT,
    topology: topology.name,
    network: JSON.parse(printTopology(topology)) as unknown,
    runtime,
  } as const;
  const faults = plan.faults.map(printTimedFault);
  let file: PlanFile;
  if (isOfService(plan)) {
    const { warmUp, duration, settle, drain } = plan.phases;
    const phasesUs = { warmUp, duration, settle, drain };
    file = { ...head, subject: printService(plan.subject), faults, phasesUs, seed };
  } else {
    file = { ...head, subject: printSubject(plan.subject), faults, durationUs: plan.duration, seed };
  }
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
  const lifted = withSubject(json);
  const parsed = planFile(lifted).safeParse(lifted);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const file = parsed.data;
  const topology = readTopologyText(JSON.stringify(file.network), file.topology);
  const faults = parseFaults(file.faults, topology);
  if (typeof faults === "string") return faults;
  const { runtime, seed } = file;
  return "phasesUs" in file
    ? { topology, runtime, subject: file.subject, faults, phases: file.phasesUs, seed }
    : { topology, runtime, subject: file.subject, faults, duration: file.durationUs, seed };
}

/** The same, where only a service will do. */
export function parseServicePlan(text: string): ServicePlan | string {
  const plan = parsePlan(text);
  return typeof plan === "string" || isOfService(plan) ? plan : "it is of an election by itself";
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

const common = {
  format: z.literal(FORMAT),
  topology: z.string(),
  network: z.unknown(),
  runtime: z.enum(RUNTIMES),
  faults: z.array(z.string()),
  seed: z.number(),
};
const ofService = z.object({
  ...common,
  subject: serviceFile,
  phasesUs: z.object({ warmUp: span, duration: span, settle: span, drain: span }),
});
const ofElection = z.object({ ...common, subject: electionSubjectFile, durationUs: span });

type PlanFile = z.input<typeof ofService> | z.input<typeof ofElection>;

const itsKind = z.object({ subject: z.object({ kind: z.literal("election") }) });
/** Whose problems are told is decided by what it says it is of. */
const planFile = (json: unknown): typeof ofService | typeof ofElection =>
  itsKind.safeParse(json).success ? ofElection : ofService;
