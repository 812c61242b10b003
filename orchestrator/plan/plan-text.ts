/** A plan as text and back: the effective configuration that is stored with every run. */

import { z } from "zod";
import { type ServerId, serverId } from "#node/core/identity.ts";
import { type Duration, microseconds } from "#node/core/time.ts";
import { type OracleName, oracles } from "#node/oracle/catalog.ts";
import { parseFault, printTimedFault, type TimedFault } from "../fault/fault.ts";
import { printTopology, readTopologyText } from "../topology/text.ts";
import type { Topology } from "../topology/topology.ts";
import { SYSTEM_NAMES } from "../system/catalog.ts";
import { electionFile, printElection } from "./election-plan.ts";
import { RUNTIMES, type TrialPlan } from "./plan.ts";

/** Equal plans are equal texts, in whatever order their fields came. */
export function printPlan(plan: TrialPlan): string {
  const { topology, oracle, election, workload, state, phases } = plan;
  const file: PlanFile = {
    format: FORMAT,
    topology: topology.name,
    network: JSON.parse(printTopology(topology)) as unknown,
    system: plan.system,
    runtime: plan.runtime,
    election: printElection(election),
    oracle: { name: oracle.name, preference: [...oracle.preference], module: oracle.module } as OracleFile,
    heartbeatUs: plan.heartbeat,
    firstLeader: plan.firstLeader,
    workload: {
      ratePerSecond: workload.ratePerSecond,
      arrivals: workload.arrivals,
      payloadBytes: workload.payloadBytes,
      client: workload.client,
    },
    state: state && { bytes: state.bytes, absent: [...state.absent], historyBytes: state.historyBytes },
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
  const parsed = planFile.safeParse(json);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const { format: _format, topology: name, network, heartbeatUs, phasesUs, faults, ...rest } = parsed.data;
  const topology = readTopologyText(JSON.stringify(network), name);
  const timed = parseFaults(faults, topology);
  if (typeof timed === "string") return timed;
  return {
    ...rest,
    topology,
    heartbeat: heartbeatUs,
    faults: timed,
    phases: phasesUs,
  };
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

const FORMAT = "polebench trial 1";
const span = z
  .number()
  .nonnegative()
  .transform((value): Duration => microseconds(value));
const server = z.number().transform((value): ServerId => serverId(value));

const planFile = z.object({
  format: z.literal(FORMAT),
  topology: z.string(),
  network: z.unknown(),
  system: z.enum(SYSTEM_NAMES),
  runtime: z.enum(RUNTIMES),
  election: electionFile,
  oracle: z.union([
    z.object({
      name: z.enum(Object.keys(oracles) as [OracleName, ...OracleName[]]),
      preference: z.array(server),
      module: z.null().default(null),
    }),
    z.object({ name: z.string(), preference: z.array(server), module: z.string() }),
  ]),
  heartbeatUs: span,
  firstLeader: server,
  workload: z.object({
    ratePerSecond: z.number().positive(),
    arrivals: z.enum(["poisson", "even"]),
    payloadBytes: z.number().nonnegative(),
    client: z.enum(["typescript", "kazoo"]),
  }),
  state: z.object({ bytes: z.number(), absent: z.array(server), historyBytes: z.number() }).nullable(),
  faults: z.array(z.string()),
  phasesUs: z.object({ warmUp: span, duration: span, settle: span, drain: span }),
  seed: z.number(),
});

type PlanFile = z.input<typeof planFile>;
type OracleFile = PlanFile["oracle"];
