/**
 * Reads the whole state back from every server by ZooKeeper's protocol: the last write of each client, and a
 * digest of all znodes with their stats.
 */

import { createHash } from "node:crypto";
import { seconds } from "#node/core/time.ts";
import { AskingSession } from "#node/host/tcp/asking-session.ts";
import type { ClientReply, ClientRequest } from "#node/wire/client/request.ts";
import { ID_BYTES, type ServerPlace, znodeOf } from "./client-plan.ts";
import { type FinalState, type ReadBackPlan, readEvenly, runReadBack } from "./final-state.ts";

/** A way of 800 ms that loses packets takes several seconds for a handshake. */
const POLICY = { timeout: seconds(40), patience: seconds(20) };
/** Requests for siblings under way, so that much state over a long way is no matter of round trips. */
const AT_ONCE = 128;
/** What ZooKeeper keeps there about itself, each server writes with its own clock. */
const OWN = "/zookeeper";

export async function readBack(plan: ReadBackPlan): Promise<readonly FinalState[]> {
  const readers = await Promise.all(plan.servers.map((server) => Reader.open(server, plan.clientPort)));
  const states = await readEvenly(readers.map((reader) => () => reader.state(plan.clients)));
  for (const reader of readers) reader.end();
  return states;
}

class Reader {
  readonly #server: ServerPlace;
  readonly #session: AskingSession;

  private constructor(server: ServerPlace, session: AskingSession) {
    this.#server = server;
    this.#session = session;
  }

  static async open(server: ServerPlace, clientPort: number): Promise<Reader> {
    try {
      return new Reader(server, await AskingSession.open({ host: server.host, port: clientPort }, POLICY));
    } catch (error) {
      throw unreadable(server, error);
    }
  }

  async state(clients: readonly number[]): Promise<FinalState> {
    await this.#ask({ kind: "sync", path: "/" });
    const digest = await this.#digest("/");
    const keys = await Promise.all(clients.map((client) => this.#lastOf(client)));
    return { server: this.#server.id, zxid: this.#session.lastZxid, digest: digest.slice(0, DIGITS), keys };
  }

  end(): void {
    this.#session.end();
  }

  /** Of a znode and all below it. */
  async #digest(path: string): Promise<string> {
    const [data, children] = await Promise.all([
      this.#ask({ kind: "getData", path, watch: false }),
      this.#ask({ kind: "getChildren2", path, watch: false }),
    ]);
    const hash = createHash("sha256");
    if (data?.kind !== "getData" || children?.kind !== "getChildren2") return hash.digest("hex");
    hash.update(`${path}\0${JSON.stringify(data.stat)}\0`).update(data.data ?? new Uint8Array(0));
    const below = children.names
      .map((name) => (path === "/" ? `/${name}` : `${path}/${name}`))
      .filter((child) => child !== OWN)
      .sort();
    for (let at = 0; at < below.length; at += AT_ONCE) {
      const some = below.slice(at, at + AT_ONCE).map((child) => this.#digest(child));
      for (const digest of await Promise.all(some)) hash.update(digest);
    }
    return hash.digest("hex");
  }

  async #lastOf(client: number): Promise<FinalState["keys"][number]> {
    const reply = await this.#ask({ kind: "getData", path: znodeOf(client), watch: false });
    if (reply?.kind !== "getData" || reply.data === null || reply.data.length < ID_BYTES) {
      return { client, lastId: -1, version: 0 };
    }
    return { client, lastId: Buffer.from(reply.data).readUInt32BE(0), version: reply.stat.version };
  }

  /** Null when there is no such znode. */
  async #ask(request: ClientRequest): Promise<ClientReply | null> {
    try {
      return (await this.#session.ask(request)).reply;
    } catch (error) {
      throw unreadable(this.#server, error);
    }
  }
}

const unreadable = ({ id }: ServerPlace, cause: unknown): Error =>
  new Error(`p${id} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });

const DIGITS = 16;

if (import.meta.main) await runReadBack(readBack);
