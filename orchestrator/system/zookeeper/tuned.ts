/**
 * ZooKeeper tuned by who knows where it runs: its ticks follow the distances, as etcd's timers do by etcd's
 * guide, and the rest is what its administrator's guide names for throughput. Writes are still forced to the
 * disk before they are acknowledged.
 */

import { longestRoundTripMs } from "../round-trip.ts";
import type { Settings, System } from "../system.ts";
import { furnishZookeeper } from "./configuration.ts";
import { ZookeeperTrial } from "./trial.ts";
import { admitted, silent, telling, zookeeper } from "./zookeeper.ts";

/**
 * A silent peer is given up after five ticks (`syncLimit`): ten of the longest round trips, a second at
 * least.
 */
const ROUND_TRIPS_A_TICK = 2;
const LEAST_TICK_MS = 200;
/** What clients ask for is granted, whatever the tick. */
const SESSIONS: Settings = { minSessionTimeout: 4000, maxSessionTimeout: 40_000 };

const OPTIONS = [
  // All of the heap at once, and the collector that keeps its pauses short.
  "-Xms1000m",
  "-XX:+UseG1GC",
  "-XX:MaxGCPauseMillis=20",
  "-XX:+AlwaysPreTouch",
];

const OUTSTANDING_LIMIT = 100_000;

const THROUGHPUT: Settings = {
  // More requests under way than any load here has.
  globalOutstandingLimit: OUTSTANDING_LIMIT,
  // A snapshot every million transactions instead of every hundred thousand, in a log of larger files.
  snapCount: 1_000_000,
  preAllocSize: 131_072,
  // As many transactions to a flush of the log as there are, and no waiting for more.
  maxBatchSize: 10_000,
  flushDelay: 0,
  // What a follower lacks is sent from memory.
  commitLogCount: 5_000,
};

export const ticksFor = (roundTripMs: number): Settings => ({
  tickTime: Math.max(LEAST_TICK_MS, ROUND_TRIPS_A_TICK * roundTripMs),
  ...SESSIONS,
});

export const zookeeperTuned: System = {
  ...zookeeper,
  name: "zookeeper-tuned",
  title: "tuned ZooKeeper",
  furnish: (seat) =>
    furnishZookeeper({ ...seat, settings: { ...ticksFor(0), ...THROUGHPUT, ...seat.settings } }),
  admits: (servers) => admitted(OUTSTANDING_LIMIT, servers),
  command: (home) => silent(home, OPTIONS),
  trial: (setting) =>
    new ZookeeperTrial(setting, (home) => telling(home, OPTIONS), {
      ...ticksFor(longestRoundTripMs(setting.terms)),
      ...THROUGHPUT,
    }),
};
