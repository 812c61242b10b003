/**
 * What is kept of one trial: a row of numbers, and what the map was like. Distances to physics are in it, so
 * that questions can be asked of the file alone.
 */

/** In the order of the file's columns. Null where there was nothing. */
export interface Row {
  /** Of all that decides what happens: a hash of the plan, and of the sources. */
  readonly id: string;
  readonly map: number;
  readonly kind: string;
  readonly oracle: string;
  readonly election: string;
  readonly seed: number;
  readonly servers: number;
  readonly sites: number;
  /** The longest round trip between two servers. */
  readonly longest_ms: number;
  /** Over the shortest between two sites with servers. */
  readonly spread: number;
  /** The largest share of one site. */
  readonly load_share: number;
  /** `valid`, `unknown`, `invalid`, or `failed` when there was no trial. */
  readonly verdict: string;
  readonly problem: string | null;
  readonly leader_before: number | null;
  readonly leader_after: number | null;
  /** 1: one of those that the oracle ought to have elected. */
  readonly as_expected: number | null;
  readonly acknowledged: number;
  readonly not_acknowledged: number;
  readonly mean_before_ms: number | null;
  readonly mean_after_ms: number | null;
  readonly worst_after_ms: number | null;
  readonly p99_after_ms: number | null;
  /** What physics allows the leader that there was, and the best that there could have been. */
  readonly model_after_ms: number | null;
  readonly best_after_ms: number | null;
  readonly outage_ms: number | null;
  /** With the successor that there was, and with the best. */
  readonly outage_floor_ms: number | null;
  readonly best_outage_floor_ms: number | null;
  readonly processor_s: number;
}

export const TEXTS: readonly (keyof Row)[] = ["id", "kind", "oracle", "election", "verdict", "problem"];

export const COLUMNS = [
  "id",
  "map",
  "kind",
  "oracle",
  "election",
  "seed",
  "servers",
  "sites",
  "longest_ms",
  "spread",
  "load_share",
  "verdict",
  "problem",
  "leader_before",
  "leader_after",
  "as_expected",
  "acknowledged",
  "not_acknowledged",
  "mean_before_ms",
  "mean_after_ms",
  "worst_after_ms",
  "p99_after_ms",
  "model_after_ms",
  "best_after_ms",
  "outage_ms",
  "outage_floor_ms",
  "best_outage_floor_ms",
  "processor_s",
] as const satisfies readonly (keyof Row)[];

/** How long it took is no part of what happened. */
export const outcomeOf = (row: Row): string =>
  JSON.stringify(COLUMNS.flatMap((name) => (name === "processor_s" ? [] : [[name, row[name]]])));
