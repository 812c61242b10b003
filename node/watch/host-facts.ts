/** What only this process knows about itself and its place, for those who watch over it. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sessionTimeouts } from "../config/config.ts";
import { between, type Instant, instant, toMilliseconds } from "../core/time.ts";
import { printZxid } from "../core/zxid.ts";
import type { Server } from "../front/server.ts";
import type { Config } from "../config/settings.ts";
import type { HostFacts } from "./status.ts";

/** Clients and their tests look at the digits for what a server understands. */
export const VERSION = "3.8.0-polebench, built on 2026-01-01 00:00 UTC";

export class FactsOfHost {
  readonly #server: Server;
  readonly #config: Config;
  readonly #folder: string;
  readonly #startedAt = Date.now();

  constructor(server: Server, config: Config, folder: string) {
    this.#server = server;
    this.#config = config;
    this.#folder = folder;
  }

  /** `now` is the host's, so that its instants can be told as times of day. */
  at(now: Instant): HostFacts {
    const { dataBytes, logBytes, snapshotAt } = filesIn(this.#folder);
    const offset = Date.now() - toMilliseconds(between(instant(0), now));
    const { standing, status } = this.#server;
    return {
      version: VERSION,
      self: this.#config.id ?? 0,
      role: this.#role(),
      uptimeMs: Date.now() - this.#startedAt,
      ...descriptors(),
      dataBytes,
      logBytes,
      configuration: this.#configuration(),
      environment: environment(),
      metrics: this.#metrics(now),
      spreads: [["election_time", standing.elections]],
      process: processMetrics(this.#startedAt),
      ensemble: this.#ensemble(),
      proposals: status.role === "leading" ? standing.proposals : null,
      snapshot: standing.snapshot === null ? null : { zxid: printZxid(standing.snapshot), at: snapshotAt },
      timeOfDay: (at) => Math.round(offset + toMilliseconds(between(instant(0), at))),
    };
  }

  #role(): HostFacts["role"] {
    const { front, status } = this.#server;
    if (front.mode === "readOnly") return "read-only";
    if (this.#config.servers.size < 2) return "standalone";
    return status.role === "leading" ? "leader" : status.role === "following" ? "follower" : "looking";
  }

  #metrics(now: Instant): (readonly [string, number])[] {
    const { servers } = this.#config;
    const { standing, status } = this.#server;
    if (servers.size < 2) return [];
    const quorum: [string, number][] = [
      ["quorum_size", servers.size],
      ["looking_count", standing.searches],
    ];
    if (status.role !== "leading") return quorum;
    const { size } = standing.level;
    const servingFor = standing.servingFor(now);
    return [
      ...quorum,
      ["learners", size],
      ["synced_followers", size],
      ["synced_non_voting_followers", 0],
      ["synced_observers", 0],
      ["proposal_count", standing.proposals.count],
      ["leader_uptime", servingFor === null ? 0 : Math.round(toMilliseconds(servingFor))],
    ];
  }

  #ensemble(): HostFacts["ensemble"] {
    const { servers } = this.#config;
    if (servers.size < 2) return null;
    const { phase, leader } = this.#server.standing;
    const led = leader === null ? undefined : servers.get(leader);
    return {
      phase,
      leader: leader === null || led === undefined ? null : { id: leader, host: led.host },
      servers: [...servers].map(([id, { host, port }]) => ({ id, address: `${host}:${port}` })),
    };
  }

  #configuration(): (readonly [string, string | number])[] {
    const { clientPort, dataDir, tickTime, maxClientCnxns, id, initLimit, servers } = this.#config;
    const { least, most } = sessionTimeouts(this.#config);
    const own = id === null ? undefined : servers.get(id);
    return [
      ["clientPort", clientPort],
      ["dataDir", dataDir],
      ["dataLogDir", dataDir],
      ["tickTime", toMilliseconds(tickTime)],
      ["maxClientCnxns", maxClientCnxns],
      ["minSessionTimeout", toMilliseconds(least)],
      ["maxSessionTimeout", toMilliseconds(most)],
      ["serverId", id ?? 0],
      ["initLimit", initLimit],
      ...(own === undefined ? [] : [["quorumPort", own.port] as const]),
    ];
  }
}

const environment = (): (readonly [string, string])[] => [
  ["zookeeper.version", VERSION],
  ["host.name", os.hostname()],
  ["node.version", process.version],
  ["os.name", os.type()],
  ["os.arch", os.arch()],
  ["os.version", os.release()],
  ["user.name", userName()],
  ["user.home", os.homedir()],
  ["user.dir", process.cwd()],
];

/** In a container the user may be a number without a name. */
function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return "?";
  }
}

function processMetrics(startedAt: number): (readonly [string, number])[] {
  const { user, system } = process.cpuUsage();
  return [
    ["process_cpu_seconds_total", (user + system) / 1e6],
    ["process_resident_memory_bytes", process.memoryUsage.rss()],
    ["process_start_time_seconds", startedAt / 1000],
  ];
}

/** -1 for what cannot be had: a server that has no descriptor left to look with goes on serving. */
function descriptors(): { readonly openFiles: number; readonly maxFiles: number } {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    return {
      openFiles: readdirSync("/proc/self/fd").length,
      maxFiles: Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? -1),
    };
  } catch {
    return { openFiles: -1, maxFiles: -1 };
  }
}

function filesIn(folder: string): { dataBytes: number; logBytes: number; snapshotAt: number } {
  const sums = { dataBytes: 0, logBytes: 0, snapshotAt: 0 };
  try {
    for (const name of readdirSync(folder)) {
      // A snapshot may be gone by now.
      const file = statSync(path.join(folder, name), { throwIfNoEntry: false });
      if (name.startsWith("log.")) sums.logBytes += file?.size ?? 0;
      else sums.dataBytes += file?.size ?? 0;
      if (/^snapshot\.\d+$/.test(name)) {
        sums.snapshotAt = Math.max(sums.snapshotAt, Math.floor(file?.mtimeMs ?? 0));
      }
    }
  } catch {
    return { dataBytes: -1, logBytes: -1, snapshotAt: -1 };
  }
  return sums;
}
