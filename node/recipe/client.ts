/**
 * One session with a coordination service, for programs: each operation is a promise, watches are told to
 * whoever set them, and a lost server is replaced by the next without a word.
 *
 * Reads that were under way are asked again. A write whose connection ended rejects with `ConnectionLost`,
 * because whether it was done nobody can tell. When the session itself has expired, whatever waited rejects
 * with `SessionOver`, and a new session begins.
 */

import { EventEmitter } from "node:events";
import type { ConnectionOptions } from "node:tls";
import { Question, replyTo } from "../client/question.ts";
import type { SessionEvent } from "../client/session-protocol.ts";
import { milliseconds } from "../core/time.ts";
import { LiveSession } from "../host/tcp/live-session.ts";
import type { Auth } from "../wire/client/access.ts";
import { type Acl, type Id, OPEN } from "../wire/client/acl.ts";
import type { Create } from "../wire/client/create.ts";
import { ERRORS } from "../wire/client/error.ts";
import type { Multi, MultiOperation, MultiResult } from "../wire/client/multi.ts";
import type { ClientReply, ClientRequest } from "../wire/client/request.ts";
import type { Stat } from "../wire/client/stat.ts";
import { ADD_WATCH_MODES, type EventType, WATCH_TYPE, type WatchEvent } from "../wire/client/watch.ts";
import { placesOf } from "./places.ts";
import { ConnectionLost, isRefusal, ServiceError, SessionOver } from "./service-error.ts";
import { type Change, DATA_CHANGES, LIST_CHANGES, type Watcher, Watchers } from "./watchers.ts";

export interface ClientOptions {
  /** Of the session, in milliseconds; the service may grant another. */
  readonly timeout?: number;
  /** For how long the first connection is tried, in milliseconds. */
  readonly within?: number;
  readonly auth?: readonly { readonly scheme: string; readonly credentials: string }[];
  /** How to speak TLS; plain TCP when not given. */
  readonly tls?: ConnectionOptions;
  /** A server that is cut off from the others will do. */
  readonly readOnly?: boolean;
  /** Begins at the first server that is named, as who names its nearest first; else at any. */
  readonly inOrder?: boolean;
}

export interface CreateOptions {
  readonly mode?: "persistent" | "ephemeral" | "persistentSequential" | "ephemeralSequential" | "container";
  readonly acl?: readonly Acl[];
  /** Milliseconds after which it goes when it has not changed and nothing is below it. */
  readonly ttl?: number;
}

export interface Read {
  readonly data: Uint8Array;
  readonly stat: Stat;
}

interface ClientEvents {
  connected: [];
  /** The connection is lost; the session may live on. */
  suspended: [];
  expired: [];
  change: [Change];
  closed: [];
}

interface Way {
  resolve(reply: ClientReply): void;
  reject(why: Error): void;
}

const MODES = {
  persistent: 0,
  ephemeral: 1,
  persistentSequential: 2,
  ephemeralSequential: 3,
  container: 4,
  ttl: 5,
  ttlSequential: 6,
} as const;

const EMPTY = new Uint8Array(0);

export class Client extends EventEmitter<ClientEvents> {
  readonly #live: LiveSession<Way>;
  readonly #watchers = new Watchers();
  #isClosing = false;
  #isOver = false;

  private constructor(servers: string, options: ClientOptions, opened: Opening) {
    super();
    const { timeout = 10_000, auth, tls, readOnly = false, inOrder = false } = options;
    const places = placesOf(servers);
    this.#live = new LiveSession<Way>({
      places,
      ...(tls !== undefined && { tls }),
      policy: {
        timeout: milliseconds(timeout),
        first: inOrder ? 0 : Math.floor(Math.random() * places.length),
        retry: "reads",
        readOnly,
        auth: authOf(auth),
      },
      heard: (event) => this.#hear(event, opened),
    });
    this.#live.connect();
  }

  /** Resolves when there is a session. */
  static async connect(servers: string, options: ClientOptions = {}): Promise<Client> {
    const { within = 30_000 } = options;
    return new Promise<Client>((resolve, reject) => {
      const client: Client = new Client(servers, options, {
        opened: () => {
          clearTimeout(patience);
          resolve(client);
        },
        failed: (why) => {
          clearTimeout(patience);
          reject(new SessionOver(why));
        },
      });
      const patience = setTimeout(() => {
        reject(new SessionOver(`none of ${servers} gave a session within ${within / 1e3} s`));
        client.abandon();
      }, within);
    });
  }

  /** Whether there is a connection with a session just now. */
  get isConnected(): boolean {
    return this.#live.state.isOpen;
  }

  /** Of the session, as ZooKeeper prints it; 0x0 before there is one. */
  get session(): string {
    const { id } = this.#live.state.credentials;
    return `0x${Buffer.from(id)
      .toString("hex")
      .replace(/^0+(?=.)/, "")}`;
  }

  /** Anything that the protocol can ask; the rest of this class is made of it. */
  async ask(request: ClientRequest): Promise<ClientReply> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) reject(new SessionOver("this client is closed"));
      else {
        this.#live.ask(new Question(request), { resolve, reject });
        this.#live.flush();
      }
    });
  }

  /** The path that it got. */
  async create(
    path: string,
    data: Uint8Array | string = EMPTY,
    options: CreateOptions = {},
  ): Promise<string> {
    const reply = await this.ask(creationOf(path, data, options));
    return "path" in reply ? reply.path : path;
  }

  /** All that is missing of this path; once more where nobody could tell whether it was made. */
  async createAll(path: string): Promise<void> {
    const parts = path.split("/").slice(1);
    for (let at = 0; at < parts.length; ) {
      try {
        await this.create(`/${parts.slice(0, at + 1).join("/")}`);
        at += 1;
      } catch (error) {
        if (isRefusal(error, "nodeExists")) at += 1;
        else if (!(error instanceof ConnectionLost)) throw error;
      }
    }
  }

  async get(path: string, watcher?: Watcher): Promise<Read> {
    const reply = await this.#watching(path, "getData", watcher, DATA_CHANGES);
    if (reply.kind !== "getData") throw new ServiceError(ERRORS.marshalling, "getData", path);
    return { data: reply.data ?? EMPTY, stat: reply.stat };
  }

  /** Null where it is not; a watcher is told when it comes. */
  async exists(path: string, watcher?: Watcher): Promise<Stat | null> {
    try {
      const reply = await this.#watching(path, "exists", watcher, DATA_CHANGES, true);
      return "stat" in reply ? reply.stat : null;
    } catch (error) {
      if (isRefusal(error, "noNode")) return null;
      throw error;
    }
  }

  async children(path: string, watcher?: Watcher): Promise<readonly string[]> {
    const reply = await this.#watching(path, "getChildren", watcher, LIST_CHANGES);
    return "names" in reply ? reply.names : [];
  }

  /** `version` -1 overwrites whatever is there. */
  async set(path: string, data: Uint8Array | string, version = -1): Promise<Stat> {
    return statOf(await this.ask({ kind: "setData", path, data: bytesOf(data), version }), path);
  }

  async delete(path: string, version = -1): Promise<void> {
    await this.ask({ kind: "delete", path, version });
  }

  async getAcl(path: string): Promise<readonly Acl[]> {
    const reply = await this.ask({ kind: "getAcl", path });
    return "acl" in reply ? reply.acl : [];
  }

  async setAcl(path: string, acl: readonly Acl[], version = -1): Promise<Stat> {
    return statOf(await this.ask({ kind: "setAcl", path, acl, version }), path);
  }

  /** What is read after it is at least as new as everything that was answered to anybody before. */
  async sync(path = "/"): Promise<void> {
    await this.ask({ kind: "sync", path });
  }

  /** All or nothing: rejects with the error of the operation that stopped it. */
  async multi(operations: readonly MultiOperation[]): Promise<readonly MultiResult[]> {
    const reply = await this.ask({ kind: "multi", operations });
    const results = "results" in reply ? reply.results : [];
    for (const [at, result] of results.entries()) {
      const isCause =
        result.kind === "error" && result.error !== ERRORS.ok && result.error !== ERRORS.runtimeInconsistency;
      const operation = operations[at];
      if (isCause && operation !== undefined)
        throw new ServiceError(result.error, operation.kind, operation.path);
    }
    return results;
  }

  /** Several reads in one journey; each has its own result or error. */
  async readAll(operations: Multi["operations"]): Promise<readonly MultiResult[]> {
    const reply = await this.ask({ kind: "multiRead", operations });
    return "results" in reply ? reply.results : [];
  }

  /** Told as `change`, until it is removed: of this znode and its children, or of all below it too. */
  async watch(path: string, mode: (typeof ADD_WATCH_MODES)[number] = "persistent"): Promise<void> {
    await this.ask({ kind: "addWatch", path, mode: ADD_WATCH_MODES.indexOf(mode) });
  }

  async unwatch(path: string): Promise<void> {
    await this.ask({ kind: "removeWatches", path, type: WATCH_TYPE.any });
  }

  /** As whom the service knows this client. */
  async whoAmI(): Promise<readonly Id[]> {
    const reply = await this.ask({ kind: "whoAmI" });
    return "users" in reply ? reply.users : [];
  }

  /** Ends the session, and with it what it owns. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    await new Promise<void>((resolve) => {
      this.once("closed", resolve);
      if (!this.#isClosing) this.#live.close();
      this.#isClosing = true;
    });
  }

  /** Ends in silence: the service misses it when its timeout has passed. */
  abandon(): void {
    this.#live.abandon();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #watching(
    path: string,
    kind: "getData" | "exists" | "getChildren",
    watcher: Watcher | undefined,
    fires: readonly EventType[],
    alsoAbsent = false,
  ): Promise<ClientReply> {
    if (watcher === undefined) return this.ask({ kind, path, watch: false });
    const forget = this.#watchers.add(path, fires, watcher);
    try {
      return await this.ask({ kind, path, watch: true });
    } catch (error) {
      if (!(alsoAbsent && isRefusal(error, "noNode"))) forget();
      throw error;
    }
  }

  #hear(event: SessionEvent<Way>, opening: Opening): void {
    switch (event.kind) {
      case "opened":
        opening.opened();
        this.emit("connected");
        return;
      case "closed":
        if (event.wasOpen) this.emit("suspended");
        return;
      case "answered": {
        const { asked, error, frame } = event;
        const { request } = asked.question;
        const reply = error === ERRORS.ok ? replyTo(asked.question, frame) : null;
        if (reply !== null) return asked.tag.resolve(reply);
        return asked.tag.reject(
          new ServiceError(error === ERRORS.ok ? ERRORS.marshalling : error, request.kind, pathOf(request)),
        );
      }
      case "lost": {
        const { request } = event.asked.question;
        return event.asked.tag.reject(new ConnectionLost(request.kind, pathOf(request)));
      }
      case "watch":
        return this.#changed(event.event);
      case "expired":
        return this.#expired();
      case "auth failed":
        opening.failed("the service does not believe who this client says it is");
        return;
      case "ended":
        return this.#ended(opening);
      default:
    }
  }

  #changed(event: WatchEvent): void {
    const change = this.#watchers.fire(event);
    if (change !== null) this.emit("change", change);
  }

  #expired(): void {
    this.#watchers.clear();
    for (const { tag } of this.#live.takeWaiting()) tag.reject(new SessionOver("its session has expired"));
    this.emit("expired");
  }

  #ended(opening: Opening): void {
    this.#isOver = true;
    opening.failed("its session has ended");
    for (const { tag } of this.#live.takeWaiting()) tag.reject(new SessionOver("this client is closed"));
    this.emit("closed");
  }
}

interface Opening {
  opened(): void;
  failed(why: string): void;
}

export const authOf = (auth: ClientOptions["auth"] = []): readonly Auth[] =>
  auth.map(({ scheme, credentials }) => ({ kind: "auth", scheme, credentials: bytesOf(credentials) }));

const bytesOf = (data: Uint8Array | string): Uint8Array =>
  typeof data === "string" ? Buffer.from(data) : data;

const pathOf = (request: ClientRequest): string => ("path" in request ? request.path : "");

function statOf(reply: ClientReply, path: string): Stat {
  if ("stat" in reply) return reply.stat;
  throw new ServiceError(ERRORS.marshalling, reply.kind, path);
}

function creationOf(
  path: string,
  data: Uint8Array | string,
  { mode = "persistent", acl = OPEN, ttl }: CreateOptions,
): Create {
  const isSequential = mode.endsWith("Sequential");
  const flags = ttl === undefined ? MODES[mode] : MODES[isSequential ? "ttlSequential" : "ttl"];
  const kind = ttl !== undefined ? "createTtl" : mode === "container" ? "createContainer" : "create";
  return { kind, path, data: bytesOf(data), acl, flags, ttl: ttl ?? -1 };
}
