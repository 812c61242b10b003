/**
 * etcd's servers in a trial. Who starts first says nothing of who leads, so leadership is moved by request.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerId } from "#node/core/identity.ts";
import { CannotRun } from "../../terminal/exit-code.ts";
import { Homes } from "../homes.ts";
import { type LogReader, PEER_PORT, type Settings, type SystemTrial, type TrialSetting } from "../system.ts";
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
  readonly firstLeads = false;
  readonly #setting: TrialSetting;
  readonly #homes: Homes;
  readonly #commandIn: (home: string) => readonly string[];
  readonly #members: ReadonlyMap<string, ServerId>;

  /** Refuses, for people, what it cannot do. */
  constructor(setting: TrialSetting, settings: Settings, commandIn: (home: string) => readonly string[]) {
    const { terms } = setting;
    if (terms.runtime !== "netns") throw new CannotRun("the image holds no etcd: take RUNTIME=netns");
    if (terms.state !== null) throw new CannotRun("an initial state is written for polebench only");
    this.#setting = setting;
    this.#commandIn = commandIn;
    this.vanguard = [...terms.topology.servers.keys()];
    const ports = { quorumPort: PEER_PORT, electionPort: PEER_PORT };
    this.#homes = new Homes({ setting, ports, settings, furnish: furnishEtcd });
    this.#members = membersOf(this.#homes.places);
  }

  isAhead(log: string): boolean {
    const { firstLeader } = this.#setting.terms;
    return this.reader(firstLeader, 0)(log).some(({ event }) => event.kind === "serving");
  }

  get handOver(): readonly string[] {
    const { places } = this.#homes;
    const told: HandOver = {
      places: places.map(({ host = "", clientPort }) => ({ host, port: clientPort })),
      members: Object.fromEntries(places.map((place) => [place.id, memberId(place).toString(16)])),
    };
    return [process.execPath, HAND_OVER, JSON.stringify(told)];
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
    return etcdReader(server, this.#members, origin);
  }
}
