/** What somebody wants to know who may place servers, and what an answer is measured by. */

import { type OracleName, unaidedOracles } from "#node/oracle/catalog.ts";
import { seconds } from "#node/core/time.ts";
import { DEFAULT_HEARTBEAT } from "../plan/plan.ts";

export const GOALS = {
  mean: "the mean over all writes",
  worst: "the mean of the site that is worst off",
  p99: "what 99 of 100 writes do not exceed",
  outage: "the outage when the leader is lost",
} as const;

export type Goal = keyof typeof GOALS;

/** What may be lost: the process of the leader, or its whole site, which falls silent. */
export const LOSSES = ["server", "site"] as const;
export type Loss = (typeof LOSSES)[number];

export interface AdviceQuestion {
  readonly servers: number;
  readonly goal: Goal;
  readonly lose: Loss;
  /** At a site. */
  readonly most: number;
}

/** Who decides about the leader: an oracle that looks at distances or load, or the operator's list. */
export type Rule = OracleName;

/** Histories are equal and turns come round: by these whoever it is leads, wherever that is. */
export const BLIND: readonly Rule[] = ["history", "rotating"];
export const LISTED: Rule = "preference";
/** By the model a composite and a hysteresis are what they are made of. */
export const RULES: readonly Rule[] = [
  ...unaidedOracles.filter((name) => name !== "composite" && name !== "hysteresis"),
  LISTED,
];

/** A site that is gone tells nobody: three heartbeats are to be missing, the last came up to one before. */
export const SILENCE_MS = (2 * DEFAULT_HEARTBEAT) / 1e3;
/** No way on Earth is longer. */
export const LONGEST_MS = seconds(2) / 1e3;
