/**
 * The systems that are measured against each other. Both read ZooKeeper's configuration file and serve
 * ZooKeeper's clients, so a system is no more than the command that starts one server of it; everything else
 * is the same for both.
 */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface System {
  readonly name: string;
  /** The command that runs one server with this configuration file, in the foreground. */
  command(configurationFile: string): readonly [program: string, ...args: string[]];
  /** What must be installed before it can run here, or null. */
  missing(): string | null;
}

const JAR = "/usr/share/java/zookeeper.jar";

/**
 * Debian's 3.8.0 with the heap that ZooKeeper's own scripts give it (`ZK_SERVER_HEAP` in zkEnv.sh). The jar
 * names the jars it needs; as Debian ships it, no logger is bound, so it spends nothing on logs.
 */
const zookeeper: System = {
  name: "zookeeper",
  command: (configurationFile) => [
    "java",
    "-Xmx1000m",
    "-cp",
    JAR,
    "org.apache.zookeeper.server.quorum.QuorumPeerMain",
    configurationFile,
  ],
  missing: () => (existsSync(JAR) ? null : "Apache ZooKeeper is not installed: apt-get install zookeeper"),
};

const MAIN = fileURLToPath(new URL("../../node/main.ts", import.meta.url));

const polebench: System = {
  name: "polebench",
  command: (configurationFile) => [process.execPath, MAIN, configurationFile],
  missing: () => (existsSync(MAIN) ? null : `${MAIN} does not exist`),
};

export const SYSTEMS = { zookeeper, polebench } as const satisfies Record<string, System>;

export type SystemName = keyof typeof SYSTEMS;
