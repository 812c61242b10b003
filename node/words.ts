/**
 * What a four-letter word is answered here: the tree's words, with what only this process knows about itself.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { between, type Instant, instant, toMilliseconds } from "./core/time.ts";
import type { Server } from "./server.ts";
import type { Config } from "./settings.ts";
import { answerWord, isWord, whitelist } from "./tree/four-letter-words.ts";
import { type HostFacts, statusOf } from "./tree/status.ts";
import type { Tree } from "./tree/tree.ts";

/** Clients and their tests look at the digits for what a server understands. */
export const VERSION = "3.8.0-polebench, built on 2026-01-01 00:00 UTC";

export class Words {
  readonly #server: Server;
  readonly #tree: Tree;
  readonly #config: Config;
  readonly #folder: string;
  readonly #startedAt = Date.now();

  constructor(server: Server, tree: Tree, config: Config, folder: string) {
    this.#server = server;
    this.#tree = tree;
    this.#config = config;
    this.#folder = folder;
  }

  /** `now` is the host's, so that its instants can be told as times of day. */
  answer(word: string, now: Instant): string {
    if (!isWord(word)) return "";
    const { front, status, expiry } = this.#server;
    const isServing = status.role !== "looking" || front.mode === "readOnly";
    const expiring = status.role === "leading" ? expiry : null;
    const allowed = whitelist(this.#config.fourLetterWords.join(","));
    const text = answerWord(
      word,
      allowed,
      statusOf(front, this.#tree, expiring, isServing, this.#facts(now)),
    );
    if (allowed.has(word) && isServing && word === "crst") front.clearStatistics("connections");
    if (allowed.has(word) && isServing && word === "srst") front.clearStatistics("server");
    return text;
  }

  #facts(now: Instant): HostFacts {
    const { dataBytes, logBytes } = sizesIn(this.#folder);
    const offset = Date.now() - toMilliseconds(between(instant(0), now));
    return {
      version: VERSION,
      role: this.#role(),
      uptimeMs: Date.now() - this.#startedAt,
      openFiles: readdirSync("/proc/self/fd").length,
      maxFiles: Number(
        /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1] ?? 0,
      ),
      dataBytes,
      logBytes,
      configuration: this.#configuration(),
      environment: environment(),
      metrics: [],
      timeOfDay: (at) => Math.round(offset + toMilliseconds(between(instant(0), at))),
    };
  }

  #role(): HostFacts["role"] {
    const { front, status } = this.#server;
    if (front.mode === "readOnly") return "read-only";
    if (this.#config.servers.size < 2) return "standalone";
    return status.role === "leading" ? "leader" : status.role === "following" ? "follower" : "looking";
  }

  #configuration(): (readonly [string, string | number])[] {
    const { clientPort, dataDir, tickTime, maxClientCnxns, id, initLimit, servers } = this.#config;
    const tick = toMilliseconds(tickTime);
    return [
      ["clientPort", clientPort],
      ["dataDir", dataDir],
      ["dataLogDir", dataDir],
      ["tickTime", tick],
      ["maxClientCnxns", maxClientCnxns],
      ["minSessionTimeout", 2 * tick],
      ["maxSessionTimeout", 20 * tick],
      ["serverId", id ?? 0],
      ["initLimit", initLimit],
      ...[...servers].map(([server, { host, port }]) => [`server.${server}`, `${host}:${port}`] as const),
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
  ["user.dir", process.cwd()],
];

function sizesIn(folder: string): { readonly dataBytes: number; readonly logBytes: number } {
  let [dataBytes, logBytes] = [0, 0];
  for (const name of readdirSync(folder)) {
    // A snapshot may be gone by now.
    const size = statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    if (name.startsWith("log.")) logBytes += size;
    else dataBytes += size;
  }
  return { dataBytes, logBytes };
}
