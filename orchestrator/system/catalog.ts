/** Every system there is, by the name a user gives. */

import { polebench } from "./polebench/polebench.ts";
import type { System } from "./system.ts";
import { zookeeper } from "./zookeeper/zookeeper.ts";

export const SYSTEMS = { polebench, zookeeper } as const satisfies Record<string, System>;

export type SystemName = keyof typeof SYSTEMS;

export const SYSTEM_NAMES = Object.keys(SYSTEMS) as readonly SystemName[];

/** What is tested when nobody says what: the only one that an oracle steers. */
export const DEFAULT_SYSTEM = "polebench" satisfies SystemName;

export const isSystemName = (name: string): name is SystemName => Object.hasOwn(SYSTEMS, name);

/** Those that elect their own way, and so can stand among oracles in a comparison. */
export const OTHER_SYSTEMS = SYSTEM_NAMES.filter((name) => SYSTEMS[name].elects === "its own way");
