/** What the summaries of all kinds of subjects have in common. */

import { z } from "zod";

const milliseconds = z.number();

/** Whether it counts. */
export const judged = {
  verdict: z.object({
    judgement: z.enum(["valid", "unknown", "invalid"]),
    findings: z.array(
      z.object({
        property: z.string(),
        judgement: z.enum(["valid", "unknown", "invalid"]),
        operations: z.number(),
        reasons: z.array(z.string()),
      }),
    ),
  }),
  /** Stopped before its end: what is here is true, but not all. */
  interrupted: z.boolean().default(false),
  thresholds: z.array(
    z.object({
      text: z.string(),
      passed: z.boolean(),
      measured: z.number().nullable(),
      unit: z.string(),
      /** It is known only to be at least that. */
      atLeast: z.boolean(),
    }),
  ),
  /** What differs here says nothing against the run. */
  expectations: z.array(z.object({ what: z.string(), met: z.boolean(), found: z.string() })),
};

/** How it was made. */
export const made = {
  resources: z.array(
    z.object({
      who: z.string(),
      cpuSeconds: z.number(),
      peakBytes: z.number(),
      /** Of the network: from server to server. */
      packets: z.number().optional(),
      /** Of a member: since when its processor time counts. */
      overSeconds: z.number().optional(),
      /** Of a member: resident memory, what is shared divided among those who share it. */
      proportionalBytes: z.number().optional(),
    }),
  ),
  /** Null in virtual time. */
  machine: z.object({ syncMs: milliseconds, exitMs: milliseconds }).nullable(),
  environment: z.record(z.string(), z.string()),
  /** The plan, as `trial.json` has it. */
  trial: z.record(z.string(), z.unknown()),
};
