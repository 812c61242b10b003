/**
 * Whom ZooKeeper's clients are tried with: ours, and ZooKeeper as it comes, which shows that nothing is asked
 * that it does not keep. A tuned one is the same program; who speaks another protocol has other clients.
 */

import { SYSTEMS } from "../system/catalog.ts";
import type { System } from "../system/system.ts";

export const CONFORMING: readonly System[] = [SYSTEMS.polebench, SYSTEMS.zookeeper];
