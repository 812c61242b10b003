/** What is measured, in which unit, and what is wanted of our number. */

export interface Metric {
  readonly title: string;
  readonly unit: string;
  /** A metric without one is only reported. */
  readonly wanted: Wanted | null;
  readonly digits: number;
  /** Where its unit does not tell; null where neither is. */
  readonly better?: "more" | "less" | null;
}

/** Rates are better when there is more, all else when there is less. */
export const betterBy = (unit: string): "more" | "less" => (unit === "/s" ? "more" : "less");

export type Wanted =
  /** Of the ratio of ours to each other system's. */
  | { readonly atLeast: number }
  | { readonly atMost: number }
  /** Of our own number, whatever others' is. */
  | { readonly below: number };

/** What the sweep goes through. */
export const CLIENTS = [1, 10, 30, 100] as const;
export const OUTSTANDING = [1, 10, 100] as const;

export type SweepName = `sweep${(typeof CLIENTS)[number]}x${(typeof OUTSTANDING)[number]}`;

export const sweepName = (
  clients: (typeof CLIENTS)[number],
  outstanding: (typeof OUTSTANDING)[number],
): SweepName => `sweep${clients}x${outstanding}`;

const swept = Object.fromEntries(
  CLIENTS.flatMap((clients) =>
    OUTSTANDING.map((outstanding): [SweepName, Metric] => [
      sweepName(clients, outstanding),
      {
        title: `setData of 1 kB, ${clients} clients, ${outstanding} under way at each`,
        unit: "/s",
        wanted: null,
        digits: 0,
      },
    ]),
  ),
) as Record<SweepName, Metric>;

/** Of what the slowest arm can take, so that none is overloaded, and all have the same to do. */
export const SHARES = [10, 50, 80] as const;
const QUANTILES = ["p50", "p99"] as const;

export type ShareName = `share${(typeof SHARES)[number]}${(typeof QUANTILES)[number]}`;

export const shareName = (share: (typeof SHARES)[number], quantile: (typeof QUANTILES)[number]): ShareName =>
  `share${share}${quantile}`;

const shares = Object.fromEntries(
  SHARES.flatMap((share) =>
    QUANTILES.map((quantile): [ShareName, Metric] => [
      shareName(share, quantile),
      {
        title: `open loop at ${share} % of the least capacity, ${quantile}`,
        unit: "ms",
        wanted: null,
        digits: 2,
      },
    ]),
  ),
) as Record<ShareName, Metric>;

export const METRICS = {
  writes3: { title: "setData of 1 kB, 3 servers", unit: "/s", wanted: { atLeast: 2.5 }, digits: 0 },
  writes5: { title: "setData of 1 kB, 5 servers", unit: "/s", wanted: { atLeast: 1 }, digits: 0 },
  reads3: { title: "getData of 1 kB, 3 servers", unit: "/s", wanted: { atLeast: 1.5 }, digits: 0 },
  newest3: {
    title: "getData of 1 kB, linearizable, 3 servers",
    unit: "/s",
    wanted: { atLeast: 1 },
    digits: 0,
  },
  mixed3: { title: "nine getData to a setData, 3 servers", unit: "/s", wanted: { atLeast: 1 }, digits: 0 },
  writes100: { title: "setData of 100 B, 3 servers", unit: "/s", wanted: { atLeast: 1 }, digits: 0 },
  writes10k: { title: "setData of 10 kB, 3 servers", unit: "/s", wanted: { atLeast: 1 }, digits: 0 },
  churn3: { title: "creations and deletions of 1 kB, 3 servers", unit: "/s", wanted: null, digits: 0 },
  watched3: {
    title: "setData of 1 kB, each told to a watcher, 3 servers",
    unit: "/s",
    wanted: null,
    digits: 0,
  },
  leaderWrites: {
    title: "setData of 1 kB, only the leader of 3 asked",
    unit: "/s",
    wanted: null,
    digits: 0,
  },
  leaderReads: {
    title: "getData of 1 kB, only the leader of 3 asked",
    unit: "/s",
    wanted: null,
    digits: 0,
  },
  followerWrites: { title: "setData of 1 kB, only a follower asked", unit: "/s", wanted: null, digits: 0 },
  followerReads: { title: "getData of 1 kB, only a follower asked", unit: "/s", wanted: null, digits: 0 },
  reads5: { title: "getData of 1 kB, 5 servers", unit: "/s", wanted: null, digits: 0 },
  ...swept,
  capacity: {
    title: "what those shares are of: the fewest writes of any arm",
    unit: "/s",
    wanted: null,
    digits: 0,
    better: null,
  },
  ...shares,
  cpu3: {
    title: "server CPU for 1,000 writes, 3 servers",
    unit: "ms",
    wanted: { atMost: 1 },
    digits: 1,
  },
  cpu5: {
    title: "server CPU for 1,000 writes, 5 servers",
    unit: "ms",
    wanted: { atMost: 1 },
    digits: 1,
  },
  disk3: { title: "to the disk for a write of 1 kB, 3 servers", unit: "kB", wanted: null, digits: 1 },
  p50: { title: "1,000 writes/s, p50", unit: "ms", wanted: { atMost: 1 }, digits: 2 },
  p99: { title: "1,000 writes/s, p99", unit: "ms", wanted: { atMost: 1 }, digits: 2 },
  cpuOpen: {
    title: "server CPU for 1,000 writes, 1,000 writes/s",
    unit: "ms",
    wanted: { atMost: 1 },
    digits: 1,
  },
  diskOpen: { title: "to the disk for a write, 1,000 writes/s", unit: "kB", wanted: null, digits: 1 },
  resident: {
    title: "resident memory of a server, after all that",
    unit: "MB",
    wanted: { atMost: 1 },
    digits: 0,
  },
  start: { title: "start to the first write, 3 servers", unit: "ms", wanted: { atMost: 0.5 }, digits: 0 },
  gap: { title: "kill -9 of the leader, nobody served", unit: "ms", wanted: { atMost: 0.1 }, digits: 0 },
  // Less than what would be a fault and no jitter: a lost packet's 200 ms, a timer, a silent leader.
  stall: {
    title: "longest wait of a request due after that",
    unit: "ms",
    wanted: { below: 100 },
    digits: 0,
  },
  unknown: { title: "requests whose outcome that left unknown", unit: "", wanted: null, digits: 0 },
  level: { title: "250 MB tree: an emptied follower is level", unit: "s", wanted: { below: 30 }, digits: 1 },
  levelP99: { title: "500 writes/s meanwhile, p99", unit: "ms", wanted: { below: 50 }, digits: 1 },
  restart: {
    title: "250 MB tree: restart of all to the first write",
    unit: "s",
    wanted: { below: 10 },
    digits: 1,
  },
  restartAll: { title: "until all three serve", unit: "s", wanted: { below: 10 }, digits: 1 },
  others: {
    title: "processors taken by anybody else meanwhile",
    unit: "%",
    wanted: null,
    digits: 0,
    better: null,
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

/** All values of one repetition on one system; a kill is repeated and gives several. */
export type Values = Partial<Record<MetricName, readonly number[]>>;
