/**
 * Apache ZooKeeper (Debian's 3.8.0) as the system under test, with its own election and what its scripts give
 * it: the highest zxid leads, and among equals the highest id.
 *
 * Its log goes through slf4j-simple, whose lines begin with the milliseconds of the wall clock.
 */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerId } from "#node/core/identity.ts";
import { majority } from "#node/core/quorum.ts";
import { CannotRun } from "../../terminal/exit-code.ts";
import type { TrialPlan } from "../../plan/plan.ts";
import { isInstalled } from "../../testbed/environment.ts";
import { addressOf, CLIENT_PORT, type LiveSystem, PEER_PORT, type SystemSetting } from "../system.ts";
import { zookeeperEvents } from "./events.ts";

const JARS = ["/usr/share/java/zookeeper.jar", "/usr/share/java/slf4j-simple.jar"];
const ELECTION_PORT = 3888;
/** The heap of ZooKeeper's own scripts (`ZK_SERVER_HEAP` in zkEnv.sh). */
const HEAP = "-Xmx1000m";
const LOGGER = "org.slf4j.simpleLogger";

/** ZooKeeper's sample configuration, fsync on; as many clients as there are, and no HTTP port. */
const SETTINGS = {
  tickTime: 2000,
  initLimit: 10,
  syncLimit: 5,
  maxClientCnxns: 0,
  "admin.enableServer": false,
} as const;

export class LiveZookeeper implements LiveSystem {
  readonly vanguard: readonly ServerId[];
  readonly environment = {};
  readonly #setting: SystemSetting;

  /** Refuses, for people, what it cannot do. */
  constructor(setting: SystemSetting) {
    this.#setting = setting;
    this.vanguard = vanguardOf(setting.plan);
  }

  isAhead(log: string): boolean {
    return zookeeperEvents(log, this.#setting.plan.firstLeader, 0).some(
      ({ event }) => event.kind === "established",
    );
  }

  prepare(): Promise<void> {
    const { plan, testbed } = this.#setting;
    const servers = [...plan.topology.servers.keys()];
    for (const self of servers) {
      const home = this.#homeOf(self);
      mkdirSync(join(home, "data"), { recursive: true, mode: 0o700 });
      writeFileSync(join(home, "data", "myid"), `${self}\n`);
      const lines = [
        ...Object.entries(SETTINGS).map(([key, value]) => `${key}=${value}`),
        `dataDir=${join(home, "data")}`,
        `clientPort=${CLIENT_PORT}`,
        ...servers.map((id) => `server.${id}=${addressOf(testbed, id)}:${PEER_PORT}:${ELECTION_PORT}`),
      ];
      writeFileSync(join(home, "zoo.cfg"), `${lines.join("\n")}\n`);
    }
    return Promise.resolve();
  }

  command(self: ServerId): readonly string[] {
    return [
      "java",
      HEAP,
      `-D${LOGGER}.defaultLogLevel=warn`,
      `-D${LOGGER}.log.org.apache.zookeeper.server.quorum=info`,
      `-D${LOGGER}.showDateTime=true`,
      `-D${LOGGER}.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSXXX`,
      `-D${LOGGER}.showThreadName=false`,
      "-cp",
      JARS.join(":"),
      "org.apache.zookeeper.server.quorum.QuorumPeerMain",
      join(this.#homeOf(self), "zoo.cfg"),
    ];
  }

  events(log: string, server: ServerId, origin: number): ReturnType<LiveSystem["events"]> {
    return zookeeperEvents(log, server, origin);
  }

  #homeOf(server: ServerId): string {
    return join(this.#setting.folder, `p${server}`);
  }
}

/** What it is made of and is not there, if anything. */
export const missingOfZookeeper = (): string | null =>
  isInstalled("java") ? (JARS.find((jar) => !existsSync(jar)) ?? null) : "java";

export const ZOOKEEPER_PACKAGES = "apt-get install zookeeper libslf4j-java";

/** A quorum in which the wished-for leader has the highest id. */
function vanguardOf({ topology, firstLeader, runtime, state }: TrialPlan): readonly ServerId[] {
  const missing = missingOfZookeeper();
  if (missing !== null) throw new CannotRun(`${missing} is missing: ${ZOOKEEPER_PACKAGES}`);
  if (runtime !== "netns") throw new CannotRun("the image holds no ZooKeeper: take RUNTIME=netns");
  if (state !== null) throw new CannotRun("an initial state is written for polebench only");
  const lower = [...topology.servers.keys()].filter((server) => server < firstLeader);
  const others = majority(topology.servers.size) - 1;
  if (lower.length < others) {
    throw new CannotRun(
      `ZooKeeper elects the highest id of those who are there, so p${firstLeader} cannot lead first: ` +
        `name a higher one with --first-leader`,
    );
  }
  return [firstLeader, ...lower.slice(-others)];
}
