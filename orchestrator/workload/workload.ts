/** How much is written, from where, and how requests arrive. */

export interface Workload {
  /** Of all clients together, per second. */
  readonly ratePerSecond: number;
  /** poisson: each moment is as likely as any other; even: like a metronome, each site with its own phase. */
  readonly arrivals: "poisson" | "even";
  readonly payloadBytes: number;
  readonly client: "typescript" | "kazoo";
}

/** One session on one server; every server that has clients has one. */
export interface Client {
  readonly id: number;
  readonly site: string;
  /** The server it uses for as long as that lives. */
  readonly home: number;
}

/** The clients of a site are one process, and it holds this without being the bottleneck. */
export const MAX_RATE_PER_SITE = { typescript: 5000, kazoo: 1500 } as const;
