/**
 * Apache ZooKeeper, Debian's 3.8.0, with its own election: the highest zxid leads, and among equals the
 * highest id. The heap is that of ZooKeeper's own scripts (`ZK_SERVER_HEAP` in zkEnv.sh). The jar names the
 * jars it needs; as Debian ships it, no logger is bound, so it spends nothing on logs unless one is named.
 */

import { existsSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { isInstalled } from "../../testbed/environment.ts";
import type { System } from "../system.ts";
import { furnishZookeeper, ZOO_CFG } from "./configuration.ts";
import { modeOf } from "./four-letter-word.ts";
import { ZOOKEEPER_SPEAKERS } from "./speakers.ts";
import { ZookeeperTrial } from "./trial.ts";

const JAR = "/usr/share/java/zookeeper.jar";
/** It says what it does, with the time of day, where Debian's logger for it is installed. */
const LOGGER = "/usr/share/java/slf4j-simple.jar";
const LOGGED = "-Dorg.slf4j.simpleLogger.";
const HEAP = "-Xmx1000m";
const MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
/** Servers that find no leader ask again after a second at most, and not after a minute. */
const ASKS_AGAIN = "-Dzookeeper.fastleader.maxNotificationInterval=1000";

const java = (jars: readonly string[], options: readonly string[], home: string) =>
  ["java", ...options, HEAP, "-cp", jars.join(":"), MAIN, join(home, ZOO_CFG)] as const;

export const zookeeper: System = {
  name: "zookeeper",
  title: "ZooKeeper",
  elects: "its own way",
  runtimes: ["netns"],
  tellsFirstCommit: false,
  handsOver: false,
  bends: [],
  promises: { syncIsLinearizable: false, clientOrder: true, goesOn: false },
  protocol: "ZooKeeper",
  speakers: ZOOKEEPER_SPEAKERS,
  torture: {
    settings: (tickTime) => ({ tickTime, preAllocSize: 2048 }),
    returnsWithNewDisk: true,
    keyClient: null,
    // It never removes what it wrote.
    diskMib: 256,
    // It is built to end where it cannot go on, and to be started anew by who watches over it.
    startedAnewMs: 1000,
    command: (home) =>
      java(
        [JAR, LOGGER],
        [ASKS_AGAIN, `${LOGGED}showDateTime=true`, `${LOGGED}dateTimeFormat=HH:mm:ss.SSS`],
        home,
      ),
  },
  // globalOutstandingLimit, which it divides among those who follow.
  admits: (servers) => admitted(1000, servers),
  version: () => basename(realpathSync(JAR), ".jar"),
  missing() {
    const what = isInstalled("java") ? [JAR, LOGGER].find((jar) => !existsSync(jar)) : "java";
    return what === undefined ? null : `${what} is missing: apt-get install zookeeper libslf4j-java`;
  },
  furnish: furnishZookeeper,
  command: (home) => silent(home, []),
  mode: modeOf,
  trial: (setting) => new ZookeeperTrial(setting, (home) => telling(home)),
};

export const admitted = (globalOutstandingLimit: number, servers: number): number =>
  Math.floor(globalOutstandingLimit / Math.max(1, servers - 1));

/** Its log tells of elections, with the time of day. */
export const telling = (home: string, options: readonly string[] = []) =>
  java(
    [JAR, LOGGER],
    [
      `${LOGGED}defaultLogLevel=warn`,
      `${LOGGED}log.org.apache.zookeeper.server.quorum=info`,
      `${LOGGED}showDateTime=true`,
      `${LOGGED}dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSXXX`,
      `${LOGGED}showThreadName=false`,
      ...options,
    ],
    home,
  );

export const silent = (home: string, options: readonly string[]) => java([JAR], options, home);
