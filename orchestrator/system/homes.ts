/**
 * Where the servers of a trial live, of a system whose server reads a file in its home and has its data
 * below.
 */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_PORT, homeOf, type Place, type Seat, type Settings, type TrialSetting } from "./system.ts";

export interface HomesOptions {
  readonly setting: TrialSetting;
  readonly ports: Pick<Place, "quorumPort" | "electionPort">;
  readonly settings: Settings;
  /** Writes what a server finds when it starts. */
  readonly furnish: (seat: Seat) => void;
}

export class Homes {
  readonly places: readonly Place[];
  readonly #options: HomesOptions;

  constructor(options: HomesOptions) {
    const { terms, addressOf } = options.setting;
    this.#options = options;
    this.places = [...terms.topology.servers.keys()].map(
      (id): Place => ({ id, host: addressOf(id), clientPort: CLIENT_PORT, ...options.ports }),
    );
  }

  of(server: number): string {
    return homeOf(this.#options.setting.folder, server);
  }

  furnish(): void {
    for (const place of this.places) this.#furnish(place);
  }

  /** As new. */
  wipe(server: number): void {
    rmSync(this.#dataOf(server), { recursive: true, force: true });
    for (const place of this.places) if (place.id === server) this.#furnish(place);
  }

  #furnish(place: Place): void {
    const { furnish, settings } = this.#options;
    const data = this.#dataOf(place.id);
    mkdirSync(data, { recursive: true, mode: 0o700 });
    furnish({ place, all: this.places, home: this.of(place.id), data, settings });
  }

  #dataOf(server: number): string {
    return join(this.of(server), "data");
  }
}
