/**
 * ZooKeeper's servers in a trial. Its log goes through slf4j-simple, whose lines begin with the milliseconds
 * of the wall clock.
 */

import type { ServerId } from "#node/core/identity.ts";
import { majority } from "#node/core/quorum.ts";
import { CannotRun } from "../../terminal/exit-code.ts";
import { Homes } from "../homes.ts";
import {
  type LogReader,
  PEER_PORT,
  type Settings,
  type SystemTrial,
  type TrialSetting,
  type TrialTerms,
} from "../system.ts";
import { furnishZookeeper } from "./configuration.ts";
import { zookeeperReader } from "./events.ts";

const ELECTION_PORT = 3888;

export class ZookeeperTrial implements SystemTrial {
  readonly vanguard: readonly ServerId[];
  readonly environment = {};
  readonly firstLeads = true;
  readonly handOver = null;
  readonly #setting: TrialSetting;
  readonly #homes: Homes;
  readonly #commandIn: (home: string) => readonly string[];

  /** Refuses, for people, what it cannot do. */
  constructor(
    setting: TrialSetting,
    commandIn: (home: string) => readonly string[],
    settings: Settings = {},
  ) {
    this.#setting = setting;
    this.#commandIn = commandIn;
    this.vanguard = vanguardOf(setting.terms);
    const ports = { quorumPort: PEER_PORT, electionPort: ELECTION_PORT };
    this.#homes = new Homes({ setting, ports, settings, furnish: furnishZookeeper });
  }

  isAhead(log: string): boolean {
    const { firstLeader } = this.#setting.terms;
    return zookeeperReader(firstLeader, 0)(log).some(({ event }) => event.kind === "established");
  }

  prepare(): Promise<void> {
    this.#homes.furnish();
    return Promise.resolve();
  }

  wipe(server: ServerId): void {
    this.#homes.wipe(server);
  }

  command(self: ServerId): readonly string[] {
    return this.#commandIn(this.#homes.of(self));
  }

  reader(server: ServerId, origin: number): LogReader {
    return zookeeperReader(server, origin);
  }
}

/** A quorum in which the wished-for leader has the highest id. */
function vanguardOf({ topology, firstLeader, runtime, state }: TrialTerms): readonly ServerId[] {
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
