/** A service as the subject of a plan's file. */

import { z } from "zod";
import { type ServerId, serverId } from "#node/core/identity.ts";
import { type Duration, microseconds } from "#node/core/time.ts";
import { type OracleName, oracleNames } from "#node/oracle/catalog.ts";
import { SYSTEM_NAMES } from "../system/catalog.ts";
import { electionFile, printElection } from "./election-plan.ts";
import type { ServiceSubject } from "./plan.ts";

const server = z.number().transform((value): ServerId => serverId(value));

export const span = z
  .number()
  .nonnegative()
  .transform((value): Duration => microseconds(value));

const ORACLE_TEXTS = ["criteria", "sites", "struck", "hysteresis", "requests"] as const;

const fields = z.object({
  kind: z.literal("service"),
  system: z.enum(SYSTEM_NAMES),
  election: electionFile,
  oracle: z.union([
    z.object({
      name: z.enum(oracleNames as [OracleName, ...OracleName[]]),
      preference: z.array(server),
      options: z.partialRecord(z.enum(ORACLE_TEXTS), z.string()).optional(),
      module: z.null().default(null),
    }),
    z.object({ name: z.string(), preference: z.array(server), module: z.string() }),
  ]),
  resign: z.string().optional(),
  heartbeatUs: span,
  firstLeader: server,
  workload: z.object({
    ratePerSecond: z.number().positive(),
    arrivals: z.enum(["poisson", "even"]),
    payloadBytes: z.number().nonnegative(),
    client: z.enum(["typescript", "kazoo"]),
  }),
  state: z.object({ bytes: z.number(), absent: z.array(server), historyBytes: z.number() }).nullable(),
});

type ServiceFile = z.input<typeof fields>;

export function printService(subject: ServiceSubject): ServiceFile {
  const { kind, system, election, oracle, heartbeat, firstLeader, workload, state } = subject;
  return {
    kind,
    system,
    election: printElection(election),
    oracle: {
      name: oracle.name,
      preference: [...oracle.preference],
      ...(oracle.module === null && oracle.options !== undefined && { options: oracle.options }),
      module: oracle.module,
    } as ServiceFile["oracle"],
    ...(subject.resign !== undefined && { resign: subject.resign }),
    heartbeatUs: heartbeat,
    firstLeader,
    workload: {
      ratePerSecond: workload.ratePerSecond,
      arrivals: workload.arrivals,
      payloadBytes: workload.payloadBytes,
      client: workload.client,
    },
    state: state && { bytes: state.bytes, absent: [...state.absent], historyBytes: state.historyBytes },
  };
}

export const serviceFile = fields.transform(
  ({ heartbeatUs, ...rest }): ServiceSubject => ({ ...rest, heartbeat: heartbeatUs }),
);
