/**
 * Reads the whole state back from every server, as clients see it: the last write of each client, and a
 * digest of all znodes with their stats.
 *
 * Sessions that end move the state on without changing what is compared here, so servers are read until all
 * of them were read at one zxid.
 */

import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { type ClientReply, type ClientRequest, readReply, writeRequest } from "#node/wire/client/request.ts";
import { Connection, framed, NO_SESSION } from "../../workload/load/connection.ts";
import type { FinalState } from "../../recording/recording.ts";
import { ID_BYTES, type ServerPlace, znodeOf } from "../../workload/client-plan.ts";

export interface ReadBackPlan {
  readonly servers: readonly ServerPlace[];
  readonly clientPort: number;
  /** Ids of the clients that wrote. */
  readonly clients: readonly number[];
}

/** When they do not agree on one zxid by then, what they have is told all the same. */
const ATTEMPTS = 20;
const PAUSE_MS = 250;
const PATIENCE_MS = 5000;
const SESSION_TIMEOUT_MS = 10_000;
/** Requests for siblings under way, so that much state over a long way is no matter of round trips. */
const AT_ONCE = 128;
/** What ZooKeeper keeps there about itself, each server writes with its own clock. */
const OWN = "/zookeeper";

export async function readBack(plan: ReadBackPlan): Promise<readonly FinalState[]> {
  const readers = await Promise.all(plan.servers.map((server) => Reader.open(server, plan.clientPort)));
  let states: readonly FinalState[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    states = await Promise.all(readers.map((reader) => reader.state(plan.clients)));
    if (new Set(states.map(({ zxid }) => zxid)).size === 1) break;
    await delay(PAUSE_MS);
  }
  for (const reader of readers) reader.end();
  return states;
}

type Asked = ClientRequest & { readonly kind: "sync" | "getData" | "getChildren2" };

class Reader {
  readonly #server: ServerPlace;
  readonly #opened = Promise.withResolvers<void>();
  readonly #connection: Connection;
  readonly #asked: {
    kind: Asked["kind"];
    resolve(reply: ClientReply | null): void;
    reject(why: Error): void;
  }[] = [];
  #zxid = 0;

  private constructor(server: ServerPlace, clientPort: number) {
    this.#server = server;
    const user = {
      opened: () => this.#opened.resolve(),
      frame: (payload: Buffer) => this.#answer(payload),
      turn: () => {},
      closed: () => this.#fail(),
    };
    this.#connection = new Connection(clientPort, NO_SESSION, 0, SESSION_TIMEOUT_MS, user, {
      host: server.host,
      patienceMs: PATIENCE_MS,
    });
  }

  static async open(server: ServerPlace, clientPort: number): Promise<Reader> {
    const reader = new Reader(server, clientPort);
    await reader.#opened.promise;
    return reader;
  }

  async state(clients: readonly number[]): Promise<FinalState> {
    await this.#ask({ kind: "sync", path: "/" });
    const digest = await this.#digest("/");
    const keys = await Promise.all(clients.map((client) => this.#lastOf(client)));
    return { server: this.#server.id, zxid: this.#zxid, digest: digest.slice(0, DIGITS), keys };
  }

  end(): void {
    this.#connection.end();
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
  #ask(request: Asked): Promise<ClientReply | null> {
    const head = new JuteWriter().int(1).int(OPERATIONS[request.kind]);
    this.#connection.write(framed(writeRequest(head, request).finish()));
    return new Promise((resolve, reject) => this.#asked.push({ kind: request.kind, resolve, reject }));
  }

  #answer(payload: Buffer): void {
    // The bytes are the connection's, which may use them again.
    const reader = new JuteReader(Uint8Array.from(payload));
    if (reader.int() < 0) return;
    this.#zxid = Math.max(this.#zxid, reader.long());
    const error = reader.int();
    const asked = this.#asked.shift();
    asked?.resolve(error === 0 ? readReply(asked.kind, reader) : null);
  }

  #fail(): void {
    const gone = new Error(`p${this.#server.id} at ${this.#server.host} cannot be read`);
    this.#opened.reject(gone);
    for (const asked of this.#asked.splice(0)) asked.reject(gone);
  }
}

const DIGITS = 16;

if (import.meta.main) {
  const plan = JSON.parse(process.argv[2] ?? "") as ReadBackPlan;
  console.log(JSON.stringify(await readBack(plan)));
  process.exit(0);
}
