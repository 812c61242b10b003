/** The replica of this project: it reads ZooKeeper's configuration file and serves ZooKeeper's clients. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { System } from "../system.ts";
import { furnishZookeeper, ZOO_CFG } from "../zookeeper/configuration.ts";
import { modeOf } from "../zookeeper/four-letter-word.ts";
import { ZOOKEEPER_SPEAKERS } from "../zookeeper/speakers.ts";
import { PolebenchTrial } from "./trial.ts";

const MAIN = fileURLToPath(new URL("../../../node/main.ts", import.meta.url));

const command = (home: string): readonly [string, ...string[]] => [
  process.execPath,
  MAIN,
  join(home, ZOO_CFG),
];

export const polebench: System = {
  name: "polebench",
  title: "polebench",
  elects: "by oracle",
  runtimes: ["docker", "netns", "sim"],
  tellsFirstCommit: true,
  handsOver: true,
  bends: ["disk", "clock"],
  promises: { syncIsLinearizable: true, clientOrder: true, goesOn: true },
  protocol: "ZooKeeper",
  speakers: ZOOKEEPER_SPEAKERS,
  torture: {
    // Who leads is drawn, not who has the newest history, so that a leader must pull.
    settings: (tickTime) => ({ tickTime, oracle: "rotating", snapCount: 2000, historyBytes: 1 << 18 }),
    returnsWithNewDisk: true,
    keyClient: null,
    // The largest segment of the log is 16 MiB.
    diskMib: 64,
    startedAnewMs: null,
    command,
  },
  // It answers overload by not reading, and refuses nobody.
  admits: () => null,
  version: () => null,
  missing: () => (existsSync(MAIN) ? null : `${MAIN} does not exist`),
  furnish: furnishZookeeper,
  command,
  mode: modeOf,
  trial: (setting) => new PolebenchTrial(setting),
};
