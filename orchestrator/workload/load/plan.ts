/**
 * What a load program is told to do, and what it says it saw. Instants are microseconds of the machine's
 * monotonic clock.
 */

export interface LoadPlan {
  /** Client i talks to the i-th of these, round and round. */
  readonly ports: readonly number[];
  readonly clients: number;
  /**
   * mixed: nine reads, then a write. churn: creations, and deletions of what was created. watched: writes,
   * each of which another client is told of, which counts as their answer.
   */
  readonly request: "setData" | "getData" | "mixed" | "churn" | "watched";
  /** Reads show what a quorum has, not what the server that is asked has. */
  readonly newest?: boolean;
  readonly payloadBytes: number;
  readonly pace: Pace;
  /** Before anything is counted: a JVM takes seconds to compile what is hot. */
  readonly warmUpSeconds: number;
  /** After that, until it is steady, but no longer; null where it begins at once. */
  readonly steadyWithinSeconds?: number | null;
  readonly seconds: number;
}

export type Pace =
  /** Every client always has this many requests under way. */
  | { readonly kind: "closed"; readonly outstanding: number }
  /** This many a second by all clients together, whether or not anything is answered. */
  | { readonly kind: "open"; readonly ratePerSecond: number };

/**
 * Lines of the program's output: its clients are there and look for their servers, all are served, the
 * counted time begins and ends, then the result.
 */
export type LoadLine =
  | { readonly kind: "up" }
  | { readonly kind: "ready"; readonly at: number }
  | { readonly kind: "begin"; readonly at: number }
  | { readonly kind: "end"; readonly at: number }
  | { readonly kind: "result"; readonly result: LoadResult };

export interface LoadResult {
  readonly seconds: number;
  /** Before the counted time. */
  readonly warmUpSeconds: number;
  /** Whether the load was warm by then; null where nobody asked. */
  readonly steady: boolean | null;
  /** Acknowledged within the counted time. */
  readonly acknowledged: number;
  /** Answered with an error. */
  readonly refused: number;
  /** Their connection ended before they were answered. */
  readonly unknown: number;
  /** Due, and not sent until the load was over: the servers took no more. */
  readonly heldBack: number;
  /** From when a request should have been sent. */
  readonly latencyMs: LatencySummary;
  /** From when it was sent, which is later where the servers took no more. */
  readonly serviceMs: LatencySummary;
  /** Used by the load program itself during the counted time. */
  readonly cpuSeconds: number;
  /** Of an open loop, every acknowledged request, in order of completion. */
  readonly samples: readonly Sample[];
}

export interface LatencySummary {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export type Sample = readonly [intended: number, sent: number, completed: number];
