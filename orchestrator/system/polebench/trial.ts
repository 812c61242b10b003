/** The servers of this project in a trial, steered by flags. */

import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerId } from "#node/core/identity.ts";
import type { Duration } from "#node/core/time.ts";
import { type ElectionChoice, entryOf, valuesOf } from "#node/election/catalog.ts";
import { flagOf, printOption } from "#node/election/options.ts";
import type { OracleTexts } from "#node/oracle/options.ts";
import { DATA_FOLDER } from "#node/service.ts";
import { bendsServers } from "../../fault/fault.ts";
import { eventsOf, hasSaid } from "./events.ts";
import type { Handing } from "./hand-over.ts";
import { writeState } from "./state.ts";
import {
  CLIENT_PORT,
  homeOf,
  PEER_PORT,
  type LogReader,
  type SystemTrial,
  type TrialSetting,
} from "../system.ts";

/** In no image, so it is where this file is. */
const BENT = fileURLToPath(new URL("./bent-server.ts", import.meta.url));
const HAND_OVER = fileURLToPath(new URL("./hand-over.ts", import.meta.url));
const ADMIN_PORT = 8080;
/** As `node/main.ts` gives itself. */
const THRIFTY = ["--max-semi-space-size=8"];

export class PolebenchTrial implements SystemTrial {
  readonly vanguard: readonly ServerId[];
  readonly environment: Readonly<Record<string, string>>;
  readonly #setting: TrialSetting;

  readonly firstLeads = true;
  readonly #token = randomBytes(16).toString("hex");

  constructor(setting: TrialSetting) {
    this.#setting = setting;
    this.vanguard = [setting.terms.firstLeader];
    this.environment = {
      // Without a secret, servers bind to nothing but loopback.
      POLEBENCH_SECRET: randomBytes(16).toString("hex"),
      ...(setting.terms.isMoved && { POLEBENCH_PAGES_TOKEN: this.#token }),
    };
  }

  isAhead(log: string): boolean {
    return hasSaid(log, "listening");
  }

  get handOver(): readonly string[] | null {
    const { terms, addressOf } = this.#setting;
    if (!terms.isMoved) return null;
    const places = [...terms.topology.servers.keys()].map((server) => `${addressOf(server)}:${ADMIN_PORT}`);
    return [process.execPath, HAND_OVER, JSON.stringify({ places, token: this.#token } satisfies Handing)];
  }

  async prepare(): Promise<void> {
    const { state, firstLeader, topology } = this.#setting.terms;
    for (const server of topology.servers.keys()) {
      mkdirSync(this.#dataOf(server), { recursive: true, mode: 0o700 });
    }
    if (state === null) return;
    const dataOf = (isAbsent: boolean): readonly string[] =>
      [...topology.servers.keys()]
        .filter((server) => state.absent.includes(server) === isAbsent)
        .map((server) => this.#dataOf(server));
    await writeState(state.bytes, firstLeader, { present: dataOf(false), absent: dataOf(true) });
  }

  /** Who comes later must judge as all others do by then, so only the first election has its own judge. */
  command(self: ServerId, first: boolean): readonly string[] {
    const { terms, addressOf, node, source } = this.#setting;
    const { oracle, election, heartbeat, firstLeader, state, topology } = terms;
    const servers = [...topology.servers.keys()];
    const flags: Record<string, string | number> = {
      id: self,
      servers: servers.map((server) => `${server}=${addressOf(server)}:${PEER_PORT}`).join(","),
      "data-dir": this.#dataOf(self),
      "client-port": CLIENT_PORT,
      "max-client-cnxns": 0,
      oracle: oracle.module ?? oracle.name,
      election: election.name,
      ...electionFlags(election),
      heartbeat: milliseconds(heartbeat),
      "log-level": "debug",
      ...(oracle.preference.length === 0 ? {} : { preference: oracle.preference.join(",") }),
      ...oracleFlags(oracle.options ?? {}),
      ...(terms.resign === undefined ? {} : { resign: terms.resign }),
      ...(first ? { "first-leader": firstLeader } : {}),
      ...(state === null ? {} : { "history-bytes": state.historyBytes }),
      ...(terms.isMoved && {
        "admin-server": "yes",
        "admin-address": addressOf(self),
        "admin-port": ADMIN_PORT,
      }),
    };
    const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
    // What people start, unless the plan bends what it stands on.
    if (!terms.faults.some(({ fault }) => bendsServers(fault.kind)))
      return [node, join(source, "node/main.ts"), ...words];
    return [node, ...THRIFTY, BENT, this.#dataOf(self), ...words];
  }

  wipe(server: ServerId): void {
    rmSync(join(this.#dataOf(server), DATA_FOLDER), { recursive: true, force: true });
  }

  reader(server: ServerId, origin: number): LogReader {
    return (lines) => eventsOf(lines, server, origin);
  }

  #dataOf(server: ServerId): string {
    return homeOf(this.#setting.folder, server);
  }
}

const oracleFlags = (texts: OracleTexts): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

function electionFlags(election: ElectionChoice): Record<string, string> {
  const values = valuesOf(election);
  const said = Object.entries(entryOf(election.name).options).map(([name, option]) => [
    flagOf(name),
    printOption(option, values[name] ?? option.default),
  ]);
  return Object.fromEntries(said) as Record<string, string>;
}

const milliseconds = (duration: Duration): string => `${duration / 1e3}ms`;
