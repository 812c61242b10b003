/**
 * A run in one small file, for programs: `summary.json`. Its format has a number that changes with its
 * meaning, and whoever reads it checks it against this schema, so a comparison never mixes numbers that mean
 * different things.
 *
 * Run as a program it publishes the schema as reports/summary.schema.json.
 */

import { writeFileSync } from "node:fs";
import { z } from "zod";
import type { ServiceConclusion } from "./conclude.ts";
import type { Measures } from "./measures.ts";
import type { ByPhase, PhaseLatency } from "./latency.ts";
import { type Statistics, STATISTICS } from "../statistics/summary.ts";
import type { Certificate } from "../testbed/network/certificate.ts";
import { printPlan } from "../plan/plan-text.ts";
import { judged, made } from "./summary-parts.ts";

const FORMAT = "polebench summary 4";

const statisticsMs = z
  .object({
    count: z.number(),
    mean: z.number(),
    p50: z.number(),
    p95: z.number(),
    p99: z.number(),
    max: z.number(),
    /** Those that are known only to be at least so much, because writes were lost or nobody knows of them. */
    atLeast: z.array(z.enum(STATISTICS)),
  })
  .nullable();
const byPhase = z.object({ before: statisticsMs, during: statisticsMs, after: statisticsMs });
const milliseconds = z.number();
const volume = z.object({ messages: z.number(), bytes: z.number() });
const distanceMs = z
  .object({
    leader: z.number(),
    modelMs: milliseconds,
    aboveMs: milliseconds,
    sites: z.record(z.string(), z.object({ modelMs: milliseconds, aboveMs: milliseconds })),
  })
  .nullable();

const certified = z
  .object({
    verdict: z.enum(["valid", "invalid"]),
    reasons: z.array(z.string()),
    /** Of a mean round trip, less what was asked. */
    worstErrorMs: milliseconds.nullable(),
    /** Part of all packets that were more than a millisecond late. */
    late: z.number().nullable(),
  })
  .nullable();

export const summarySchema = z.object({
  format: z.literal(FORMAT),
  ...judged,
  /** Whether the emulated network passed way by way; null where that was not measured. */
  certificates: z.object({ idle: certified, loaded: certified }),
  /** Every leader that its servers told of, since the load began; what was before it is negative. */
  reigns: z.array(z.object({ leader: z.number(), epoch: z.number(), fromMs: milliseconds })).default([]),
  leaders: z.object({ before: z.number().nullable(), after: z.number().nullable() }),
  expectedLeaders: z.array(z.number()),
  outcomes: z.object({ ok: z.number(), failed: z.number(), unknown: z.number() }),
  latencyMs: z.object({ overall: byPhase, sites: z.record(z.string(), byPhase) }),
  /** How late requests left their clients in steady state; null where there was none. */
  latenessMs: statisticsMs.default(null),
  outageMs: z.object({ overall: milliseconds, sites: z.record(z.string(), milliseconds) }).nullable(),
  /** The longest time without any acknowledgement that ended after the fault, whoever led. */
  silence: z.object({ ms: milliseconds, atLeast: z.boolean() }).nullable().default(null),
  /** How much longer than usual the slowest request took that was due when its server was back. */
  stallMs: milliseconds.nullable(),
  recovery: z
    .object({
      leader: z.number(),
      stagesMs: z.object({
        noticed: milliseconds,
        elected: milliseconds,
        discovered: milliseconds,
        pulled: milliseconds,
        synchronized: milliseconds,
        "first commit": milliseconds,
      }),
      /** Of the outage that clients saw, what no server's event accounts for. */
      unaccountedMs: milliseconds,
      totalMs: milliseconds,
      detectionMs: milliseconds,
      paperMs: milliseconds.nullable(),
      pulledBytes: z.number(),
      /** What each server went through by its own events; `joined` is a follower's being brought level. */
      servers: z.array(
        z.object({
          server: z.number(),
          stagesMs: z.record(z.string(), milliseconds),
          firstCommit: z.boolean(),
        }),
      ),
    })
    .nullable(),
  /** The round that found the next leader, and what each server scored in it. */
  election: z
    .object({
      round: z.number(),
      leader: z.number(),
      candidates: z.array(
        z.object({
          server: z.number(),
          score: z.array(z.number()),
          why: z.record(z.string(), z.number()),
        }),
      ),
    })
    .nullable(),
  /** What servers sent to each other, for each stage of the recovery and per second of the steady states. */
  traffic: z.array(
    z.object({ of: z.string(), perSecond: z.boolean(), all: volume, servers: z.record(z.string(), volume) }),
  ),
  physics: z.object({
    before: distanceMs,
    after: distanceMs,
    bestMeanMs: milliseconds.nullable(),
    /** What the ways allow from the death on, with the leader that there was, and 30 ms for machines. */
    outageBoundMs: milliseconds.nullable(),
  }),
  ...made,
});

export type ServiceSummary = z.infer<typeof summarySchema>;

export function summarise(conclusion: Omit<ServiceConclusion, "summary">): ServiceSummary {
  const { recording, measures, verdict } = conclusion;
  const { outage, silence, stall, recovery, physics, latencies } = measures;
  const sites = Object.entries(latencies.sites).map(([site, phases]) => [site, statisticsOf(phases)]);
  return {
    format: FORMAT,
    verdict: {
      judgement: verdict.judgement,
      findings: verdict.findings.map((finding) => ({ ...finding, reasons: [...finding.reasons] })),
    },
    interrupted: recording.interrupted,
    thresholds: [...conclusion.thresholds],
    expectations: [...conclusion.expectations],
    certificates: {
      idle: certifiedOf(recording.certificates.idle),
      loaded: certifiedOf(recording.certificates.loaded),
    },
    leaders: measures.leaders,
    expectedLeaders: [...physics.expectedLeaders],
    outcomes: measures.outcomes,
    latencyMs: { overall: statisticsOf(latencies.overall), sites: Object.fromEntries(sites) },
    latenessMs: told(measures.lateness),
    outageMs: outage === null ? null : { overall: outage.ms, sites: { ...outage.sites } },
    reigns: measures.reigns.map(({ leader, epoch, from }) => ({ leader, epoch, fromMs: from / 1e3 })),
    silence: silence === null ? null : { ...silence },
    stallMs: stall?.ms ?? null,
    recovery:
      recovery === null
        ? null
        : {
            leader: recovery.leader,
            stagesMs: recovery.stages,
            unaccountedMs: recovery.unaccountedMs,
            totalMs: recovery.totalMs,
            detectionMs: recovery.detectionMs,
            paperMs: recovery.paperMs,
            pulledBytes: recovery.pulledBytes,
            servers: recovery.servers.map(({ server, stages, committedAt }) => ({
              server,
              stagesMs: { ...stages },
              firstCommit: committedAt !== null,
            })),
          },
    election: electionOf(measures),
    traffic: measures.traffic.map((row) => ({ ...row, servers: { ...row.servers } })),
    physics: {
      before: physics.before,
      after: physics.after,
      bestMeanMs: physics.best?.meanMs ?? null,
      outageBoundMs: physics.outageBound?.ms ?? null,
    },
    resources: [...recording.resources],
    machine: recording.machine,
    environment: { ...recording.environment },
    trial: JSON.parse(printPlan(recording.plan)) as Record<string, unknown>,
  };
}

function electionOf({ election }: Measures): ServiceSummary["election"] {
  if (election === null) return null;
  const { round, leader, candidates } = election;
  return {
    round,
    leader,
    candidates: candidates.map(({ server, score, why }) => ({ server, score: [...score], why: { ...why } })),
  };
}

function certifiedOf(certificate: Certificate | null): ServiceSummary["certificates"]["idle"] {
  if (certificate === null) return null;
  const { verdict, reasons, ways, late } = certificate;
  const errors = ways.map(({ roundTrip }) => (roundTrip.udp - roundTrip.asked) / 1e3).filter(Number.isFinite);
  const worst = errors.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0] ?? null;
  return { verdict, reasons: [...reasons], worstErrorMs: worst, late };
}

/** The summary, or what is wrong with the text. */
export function parseSummary(text: string): ServiceSummary | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return `no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  const parsed = summarySchema.safeParse(json);
  return parsed.success ? parsed.data : z.prettifyError(parsed.error);
}

const statisticsOf = ({ before, during, after }: ByPhase<PhaseLatency>) => ({
  before: told(before.latency),
  during: told(during.latency),
  after: told(after.latency),
});

const told = (of: Statistics | null) => (of === null ? null : { ...of, atLeast: [...of.atLeast] });

export function publishedSchema(): string {
  const schema = { ...z.toJSONSchema(summarySchema), title: "The summary of a polebench run" };
  return `${JSON.stringify(schema, null, 1)}\n`;
}

if (import.meta.main) {
  writeFileSync(new URL("../../reports/summary.schema.json", import.meta.url), publishedSchema());
}
