/**
 * ZooKeeper's servers in a trial. Its log goes through slf4j-simple, whose lines begin with the milliseconds
 * of the wall clock.
 */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ServerId } from "#node/core/identity.ts";
import { majority } from "#node/core/quorum.ts";
import { CannotRun } from "../../terminal/exit-code.ts";
import {
  CLIENT_PORT,
  homeOf,
  PEER_PORT,
  type Place,
  type LogReader,
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
  readonly #setting: TrialSetting;
  readonly #commandIn: (home: string) => readonly string[];
  readonly #settings: Settings;

  /** Refuses, for people, what it cannot do. */
  constructor(
    setting: TrialSetting,
    commandIn: (home: string) => readonly string[],
    settings: Settings = {},
  ) {
    this.#setting = setting;
    this.#settings = settings;
    this.#commandIn = commandIn;
    this.vanguard = vanguardOf(setting.terms);
  }

  isAhead(log: string): boolean {
    const { firstLeader } = this.#setting.terms;
    return zookeeperReader(firstLeader, 0)(log).some(({ event }) => event.kind === "established");
  }

  readonly firstLeads = true;
  readonly handOver = null;

  prepare(): Promise<void> {
    for (const { id } of this.#places) this.#furnish(id);
    return Promise.resolve();
  }

  wipe(server: ServerId): void {
    rmSync(join(this.#homeOf(server), "data"), { recursive: true, force: true });
    this.#furnish(server);
  }

  get #places(): readonly Place[] {
    const { terms, addressOf } = this.#setting;
    return [...terms.topology.servers.keys()].map(
      (id): Place => ({
        id,
        host: addressOf(id),
        clientPort: CLIENT_PORT,
        quorumPort: PEER_PORT,
        electionPort: ELECTION_PORT,
      }),
    );
  }

  #furnish(server: number): void {
    const all = this.#places;
    const home = this.#homeOf(server);
    const data = join(home, "data");
    mkdirSync(data, { recursive: true, mode: 0o700 });
    for (const place of all.filter(({ id }) => id === server))
      furnishZookeeper({ place, all, home, data, settings: this.#settings });
  }

  command(self: ServerId): readonly string[] {
    return this.#commandIn(this.#homeOf(self));
  }

  reader(server: ServerId, origin: number): LogReader {
    return zookeeperReader(server, origin);
  }

  #homeOf(server: number): string {
    return homeOf(this.#setting.folder, server);
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
