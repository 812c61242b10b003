/**
 * etcd's servers in a trial. Who starts first says nothing of who leads, so leadership is moved by request.
 */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerId } from "#node/core/identity.ts";
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
} from "../system.ts";
import type { HandOver } from "./client/hand-over.ts";
import { CONFIGURATION, furnishEtcd } from "./configuration.ts";
import { etcdReader } from "./events.ts";
import { memberId, membersOf } from "./member-id.ts";

const HAND_OVER = fileURLToPath(new URL("./client/hand-over.ts", import.meta.url));

export const commandOf = (home: string) => ["etcd", "--config-file", join(home, CONFIGURATION)] as const;

export class EtcdTrial implements SystemTrial {
  readonly vanguard: readonly ServerId[];
  /** Its log has the time of day, read as UTC's. */
  readonly environment = { TZ: "UTC" };
  readonly #setting: TrialSetting;
  readonly #settings: Settings;
  readonly #commandIn: (home: string) => readonly string[];
  readonly #places: readonly Place[];
  readonly #members: ReadonlyMap<string, ServerId>;

  /** Refuses, for people, what it cannot do. */
  constructor(setting: TrialSetting, settings: Settings, commandIn: (home: string) => readonly string[]) {
    const { terms, addressOf } = setting;
    if (terms.runtime !== "netns") throw new CannotRun("the image holds no etcd: take RUNTIME=netns");
    if (terms.state !== null) throw new CannotRun("an initial state is written for polebench only");
    this.#setting = setting;
    this.#settings = settings;
    this.#commandIn = commandIn;
    this.vanguard = [...terms.topology.servers.keys()];
    this.#places = this.vanguard.map((id) => ({
      id,
      host: addressOf(id),
      clientPort: CLIENT_PORT,
      quorumPort: PEER_PORT,
      electionPort: PEER_PORT,
    }));
    this.#members = membersOf(this.#places);
  }

  isAhead(log: string): boolean {
    const { firstLeader } = this.#setting.terms;
    return this.reader(firstLeader, 0)(log).some(({ event }) => event.kind === "serving");
  }

  readonly firstLeads = false;

  get handOver(): readonly string[] {
    const told: HandOver = {
      places: this.#places.map(({ host = "", clientPort }) => ({ host, port: clientPort })),
      members: Object.fromEntries(this.#places.map((place) => [place.id, memberId(place).toString(16)])),
    };
    return [process.execPath, HAND_OVER, JSON.stringify(told)];
  }

  prepare(): Promise<void> {
    for (const { id } of this.#places) this.#furnish(id);
    return Promise.resolve();
  }

  wipe(server: ServerId): void {
    rmSync(join(this.#homeOf(server), "data"), { recursive: true, force: true });
    this.#furnish(server);
  }

  command(self: ServerId): readonly string[] {
    return this.#commandIn(this.#homeOf(self));
  }

  reader(server: ServerId, origin: number): LogReader {
    return etcdReader(server, this.#members, origin);
  }

  #furnish(server: number): void {
    const [home, all, settings] = [this.#homeOf(server), this.#places, this.#settings];
    const data = join(home, "data");
    mkdirSync(data, { recursive: true, mode: 0o700 });
    for (const place of all.filter(({ id }) => id === server))
      furnishEtcd({ place, all, home, data, settings });
  }

  #homeOf(server: number): string {
    return homeOf(this.#setting.folder, server);
  }
}
