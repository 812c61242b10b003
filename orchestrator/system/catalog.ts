/** Every system there is, by the name a user gives. */

import { etcd } from "./etcd/etcd.ts";
import { etcdTuned } from "./etcd/tuned.ts";
import { polebench } from "./polebench/polebench.ts";
import type { System } from "./system.ts";
import { zookeeperTuned } from "./zookeeper/tuned.ts";
import { zookeeper } from "./zookeeper/zookeeper.ts";

export const SYSTEMS = {
  polebench,
  zookeeper,
  "zookeeper-tuned": zookeeperTuned,
  etcd,
  "etcd-tuned": etcdTuned,
} as const satisfies Record<string, System>;

export type SystemName = keyof typeof SYSTEMS;

export const SYSTEM_NAMES = Object.keys(SYSTEMS) as readonly SystemName[];

/** What is tested when nobody says what: the only one that an oracle steers. */
export const DEFAULT_SYSTEM = "polebench" satisfies SystemName;

export const isSystemName = (name: string): name is SystemName => Object.hasOwn(SYSTEMS, name);

/** Those that ZooKeeper's clients can talk to. */
export const SPEAKING_ZOOKEEPER = SYSTEM_NAMES.filter((name) => SYSTEMS[name].protocol === "ZooKeeper");

/** Those that elect their own way, and so can stand among oracles in a comparison. */
export const OTHER_SYSTEMS = SYSTEM_NAMES.filter((name) => SYSTEMS[name].elects === "its own way");
