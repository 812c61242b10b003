/**
 * A server's clients, played byte by byte, for tests. The replica is played, too: it answers what it is
 * asked, in order, at once or when the story lets it. The secrets are none.
 */

import { utf8Bytes } from "../../core/utf8.ts";
import type { Pieces } from "../../core/pieces.ts";
import { Frames } from "../../client/frames.ts";
import { type ClientId, clientId, type ServerId, serverId } from "../../core/identity.ts";
import { type Instant, instant, milliseconds, timeOfDay } from "../../core/time.ts";
import { ERRORS } from "../../wire/client/error.ts";
import {
  type ConnectRequest,
  type ConnectResponse,
  readConnectResponse,
  writeConnectRequest,
} from "../../wire/client/handshake.ts";
import { readReplyHeader, writeRequestHeader } from "../../wire/client/header.ts";
import { JuteReader, JuteWriter } from "../../wire/client/jute.ts";
import { OPERATIONS } from "../../wire/client/operation.ts";
import { type ClientRequest, writeRequest } from "../../wire/client/request.ts";
import { readWatchEvent } from "../../wire/client/watch.ts";
import { digestOf, type Secrets } from "../../front/credentials.ts";
import { frameOf } from "../../front/frame.ts";
import { Front } from "../../front/front.ts";
import type { Answer, Ask, FrontEffect, FrontOptions, Written } from "../../front/front-protocol.ts";
import { DEFAULTS } from "../../tree/payload.ts";
import { Stage } from "../tree/stage.ts";

const sha1 = (bytes: Uint8Array): Uint8Array => bytes.slice(0, 20);
let drawn = 0;
const secrets: Secrets = {
  sha1,
  password: () => new Uint8Array(16).fill(++drawn),
  seal: (password) => `the seal of ${password.join(" ")}`,
  superDigest: digestOf(utf8Bytes("super:test"), { sha1 }),
};

/** One server of an ensemble whose servers all execute at once: they share one tree. */
export class PlayedServer {
  readonly front: Front;
  readonly self: ServerId;
  readonly #stage: Stage;
  readonly sent = new Map<ClientId, Uint8Array[]>();
  readonly ended = new Map<ClientId, string>();
  readonly log: string[] = [];
  /** Questions are kept back until the story lets them through. */
  holding = false;
  /** Clients read what they are sent, all of it at the end of a turn. */
  isReading = true;
  readonly #written = new Map<ClientId, number>();
  #held: Ask[] = [];
  now: Instant = instant(0);

  constructor(stage = new Stage(), self = 1, options: Partial<FrontOptions> = {}) {
    this.self = serverId(self);
    this.#stage = stage;
    const patience = milliseconds(5000);
    const timeouts = { least: milliseconds(4000), most: milliseconds(40_000) };
    this.front = new Front(
      {
        self: this.self,
        tick: milliseconds(2000),
        timeouts,
        skipAcl: false,
        patience,
        secrets,
        options: DEFAULTS,
        ...options,
      },
      stage.tree,
    );
  }

  connect(number: number, address = "127.0.0.1"): PlayedClient {
    this.front.opened(clientId(number), address, 5000 + number, this.now);
    return new PlayedClient(this, clientId(number));
  }

  take(client: ClientId, bytes: Uint8Array): void {
    this.front.take(client, bytes, this.now);
    this.run();
  }

  /** As in one step of a replica: everything is executed before the front hears of any of it. */
  release(): void {
    this.holding = false;
    const answers = this.#held.flatMap((ask) => this.#execute(ask));
    this.#held = [];
    for (const answer of answers) this.front.answer(answer, this.now);
    this.run();
  }

  /** As a server does: what comes of an effect waits for those before it. */
  run(): void {
    this.#step();
    while (this.isReading && this.#written.size > 0) this.readAll();
  }

  /** A turn ends, and everybody has read everything. */
  readAll(): void {
    this.flush([...this.#written.keys()].map((id) => ({ id })));
  }

  /** A turn ends: these have read everything, the others nothing. */
  flush(readers: readonly Pick<PlayedClient, "id">[]): void {
    const read = new Set(readers.map(({ id }) => id));
    const sent = [...this.#written];
    for (const client of read) this.#written.delete(client);
    this.endTurn(sent.map(([client, bytes]) => ({ client, bytes: read.has(client) ? bytes : 0 })));
  }

  endTurn(written: readonly Written[]): void {
    this.front.wrote(written, this.now);
    this.#step();
  }

  #step(): void {
    this.#pass();
    this.front.tellEvents();
    this.#pass();
  }

  #pass(): void {
    for (let effects = this.front.takeEffects(); effects.length > 0; effects = this.front.takeEffects()) {
      for (const effect of effects) this.#do(effect);
    }
  }

  #do(effect: FrontEffect): void {
    if (effect.kind === "ask") {
      if (this.holding) this.#held.push(effect.ask);
      else for (const answer of this.#execute(effect.ask)) this.front.answer(answer, this.now);
    } else if (effect.kind === "send") {
      const sent = this.sent.get(effect.client) ?? [];
      this.sent.set(effect.client, [...sent, effect.bytes]);
      this.#written.set(effect.client, (this.#written.get(effect.client) ?? 0) + effect.bytes.length);
    } else if (effect.kind === "close" || effect.kind === "cutOff")
      this.ended.set(effect.client, effect.reason);
    else this.log.push(effect.kind === "word" ? effect.word : effect.kind);
  }

  pass(ms: number): void {
    this.now = instant(this.now + ms * 1000);
    this.front.pass(this.now);
    this.run();
  }

  #execute(ask: Ask): Answer[] {
    const { tree } = this.#stage;
    if (ask.kind === "detach") return [];
    const { client } = ask;
    if (ask.kind === "attach") return ask.seen > tree.applied ? [{ kind: "behind", client }] : [];
    const result = this.#resultOf(ask);
    return [{ kind: "reply", client, tag: ask.tag, zxid: tree.applied, result }];
  }

  #resultOf(ask: Ask & { kind: "write" | "read" | "sync" | "known" }): Pieces {
    if (ask.kind === "sync" || ask.kind === "known") return [new Uint8Array(0)];
    return ask.kind === "read" ? this.#stage.tree.read(ask.client, ask.query) : [this.#apply(ask.payload)];
  }

  #apply(payload: Uint8Array): Uint8Array {
    const { tree, next, time } = this.#stage;
    const ticket = { origin: this.self, life: 1, sequence: next };
    return tree.apply({ zxid: next, time: timeOfDay(time), ticket, payload, imaged: false });
  }
}

/** What a client asks for in its handshake, where it matters. */
export type Wish = Partial<ConnectRequest>;

export class PlayedClient {
  readonly server: PlayedServer;
  readonly id: ClientId;
  #xid = 0;

  constructor(server: PlayedServer, id: ClientId) {
    this.server = server;
    this.id = id;
  }

  /** The response, or null when there is none. */
  greet(wish: Wish = {}): ConnectResponse | null {
    const { session = 0, password = new Uint8Array(16), lastZxidSeen = 0, timeoutMs = 10_000 } = wish;
    const readOnly = wish.readOnly === undefined ? false : wish.readOnly;
    const request = { lastZxidSeen, timeoutMs, session, password, readOnly };
    this.bytes(frameOf(writeConnectRequest(new JuteWriter(), request).finish()));
    const [frame] = this.frames();
    return frame === undefined ? null : readConnectResponse(new JuteReader(frame));
  }

  bytes(bytes: Uint8Array): void {
    this.server.take(this.id, bytes);
  }

  send(request: ClientRequest, xid = ++this.#xid): this {
    this.bytes(requestFrame(request, xid));
    return this;
  }

  /** Payloads of the frames received since the last call. */
  frames(): Uint8Array[] {
    const frames = new Frames();
    const heard: Uint8Array[] = [];
    for (const piece of this.server.sent.get(this.id) ?? []) {
      frames.push(piece);
      for (let frame = frames.next(); frame !== null; frame = frames.next()) heard.push(frame);
    }
    this.server.sent.delete(this.id);
    return heard;
  }

  /** As `1 ok`, `2 noNode` or `event 3 /a`. */
  heard(): string[] {
    return this.frames().map((frame) => {
      const reader = new JuteReader(frame);
      const { xid, error } = readReplyHeader(reader);
      if (xid === -1) {
        const { type, path } = readWatchEvent(reader);
        return `event ${type} ${path}`;
      }
      return `${xid} ${Object.entries(ERRORS).find(([, code]) => code === error)?.[0]}`;
    });
  }

  get ended(): string | undefined {
    return this.server.ended.get(this.id);
  }
}

export function requestFrame(request: ClientRequest, xid: number): Uint8Array {
  const header = { xid, operation: OPERATIONS[request.kind] };
  return frameOf(writeRequest(writeRequestHeader(new JuteWriter(), header), request).finish());
}

export const getData = (path: string, watch = false): ClientRequest => ({ kind: "getData", path, watch });
export const authenticate = (scheme: string, credentials: string): ClientRequest => ({
  kind: "auth",
  scheme,
  credentials: utf8Bytes(credentials),
});
