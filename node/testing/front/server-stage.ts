/**
 * An ensemble of whole servers in virtual time, for tests: links take a millisecond unless they are cut,
 * disks are at once, and clients are played byte by byte.
 */

import { utf8Bytes } from "../../core/utf8.ts";
import assert from "node:assert/strict";
import type { Input } from "../../core/automaton.ts";
import { type ClientId, clientId, type ServerId, serverId } from "../../core/identity.ts";
import { BLANK } from "../../core/recovery.ts";
import { type Instant, instant, milliseconds, timeOfDay } from "../../core/time.ts";
import { oracles } from "../../oracle/catalog.ts";
import { Server, type ServerOptions, type ServerOutput, type ServerProtocol } from "../../front/server.ts";
import { digestOf, type Secrets } from "../../front/credentials.ts";
import { frameOf } from "../../front/frame.ts";
import { requestFrame } from "./front-stage.ts";
import type { PeerMessage } from "../../replica/message.ts";
import { DEFAULTS } from "../../tree/payload.ts";
import { Tree } from "../../tree/tree.ts";
import {
  type ConnectRequest,
  type ConnectResponse,
  readConnectResponse,
  writeConnectRequest,
} from "../../wire/client/handshake.ts";
import { readReplyHeader } from "../../wire/client/header.ts";
import { JuteReader, JuteWriter } from "../../wire/client/jute.ts";
import type { ClientRequest } from "../../wire/client/request.ts";

const sha1 = (bytes: Uint8Array): Uint8Array => bytes.slice(0, 20);
const SECRETS: Secrets = {
  sha1,
  password: () => new Uint8Array(16).fill(7),
  seal: (password) => `the seal of ${password.join(" ")}`,
  superDigest: digestOf(utf8Bytes("super:test"), { sha1 }),
};

interface Timer {
  readonly at: ServerId;
  readonly name: string;
  readonly due: Instant;
}

interface Message {
  readonly due: Instant;
  readonly to: ServerId;
  readonly input: Input<ServerProtocol>;
}

/** One of the servers, with what its clients received. */
export class StagedServer {
  readonly tree = new Tree();
  readonly server: Server;
  readonly sent = new Map<ClientId, Uint8Array[]>();
  readonly ended = new Map<ClientId, string>();
  appended = 0;
  durable = 0;

  constructor(self: ServerId, servers: readonly ServerId[], wish: Partial<ServerOptions>) {
    this.server = new Server({
      tree: this.tree,
      readOnly: false,
      front: {
        self,
        tick: milliseconds(1000),
        timeouts: { least: milliseconds(2000), most: milliseconds(60_000) },
        skipAcl: false,
        patience: milliseconds(10_000),
        secrets: SECRETS,
        options: { ...DEFAULTS, extendedTypes: true },
      },
      replica: { servers, oracle: oracles.history.create() },
      ...wish,
    });
  }

  hear(output: ServerOutput): void {
    if (output.kind === "send") {
      const sent = this.sent.get(output.client) ?? [];
      this.sent.set(output.client, [...sent, output.bytes]);
    } else if (output.kind === "close") this.ended.set(output.client, output.reason);
  }

  hasSession(session: number): boolean {
    return this.tree.state.sessions.get(session) !== undefined;
  }
}

export class StagedEnsemble {
  /** Messages that get lost, although nothing is cut. */
  drops: (from: number, message: PeerMessage) => boolean = () => false;
  readonly #servers: ReadonlyMap<ServerId, StagedServer>;
  readonly #timers = new Map<string, Timer>();
  readonly #cut = new Set<string>();
  #messages: Message[] = [];
  /** Nothing falls together with a tick by chance. */
  #now = instant(123_456);
  #clients = 0;

  /** Has a leader when it is there. */
  constructor(count: number, wish: Partial<ServerOptions> = {}) {
    const ids = Array.from({ length: count }, (_, index) => serverId(index + 1));
    this.#servers = new Map(ids.map((id) => [id, new StagedServer(id, ids, wish)]));
    ids.forEach((id) =>
      this.#step(id, { kind: "start", recovered: BLANK, life: id, timeOfDay: timeOfDay(1e12) }),
    );
    for (const one of ids) for (const other of ids) if (one < other) this.heal(one, other);
    this.pass(5000);
    assert.ok(
      ids.some((id) => this.at(id).server.status.role === "leading"),
      "nobody leads",
    );
  }

  get now(): Instant {
    return this.#now;
  }

  at(id: number): StagedServer {
    return this.#servers.get(serverId(id)) ?? assert.fail(`there is no server ${id}`);
  }

  get leader(): number {
    for (const [id, { server }] of this.#servers) if (server.status.role === "leading") return id;
    return assert.fail("nobody leads");
  }

  cut(one: number, other: number): void {
    if (this.#cut.has(link(one, other))) return;
    this.#cut.add(link(one, other));
    this.#messages = this.#messages.filter(({ input, to }) => {
      return input.kind !== "message" || link(input.from, to) !== link(one, other);
    });
    this.#step(serverId(one), { kind: "unreachable", server: serverId(other) });
    this.#step(serverId(other), { kind: "unreachable", server: serverId(one) });
  }

  heal(one: number, other: number): void {
    this.#cut.delete(link(one, other));
    this.#step(serverId(one), { kind: "connected", server: serverId(other) });
    this.#step(serverId(other), { kind: "connected", server: serverId(one) });
  }

  /** Each server on its own. */
  partition(): void {
    this.#pairs((one, other) => this.cut(one, other));
  }

  unite(): void {
    this.#pairs((one, other) => this.heal(one, other));
  }

  /** Somebody sets the wall clock of this server. */
  setClock(server: number, ms: number): void {
    this.#step(serverId(server), { kind: "clock", timeOfDay: timeOfDay(ms) });
  }

  pass(ms: number): void {
    const end = instant(this.#now + ms * 1000);
    for (;;) {
      const timer = [...this.#timers.values()].reduce<Timer | null>(sooner, null);
      const message = this.#messages[0] ?? null;
      const due = Math.min(timer?.due ?? Infinity, message?.due ?? Infinity);
      if (due > end) break;
      this.#now = instant(due);
      if (message?.due === due) {
        this.#messages.shift();
        this.#step(message.to, message.input);
      } else if (timer !== null) {
        this.#timers.delete(`${timer.at} ${timer.name}`);
        this.#step(timer.at, { kind: "timeout", timer: timer.name as ServerProtocol["timer"] });
      }
    }
    this.#now = end;
  }

  connect(server: number): StagedClient {
    const client = new StagedClient(this, server, clientId(++this.#clients));
    this.request(server, { kind: "opened", client: client.id, address: "127.0.0.1", port: client.id });
    return client;
  }

  request(server: number, request: ServerProtocol["request"]): void {
    this.#step(serverId(server), { kind: "request", request });
  }

  #pairs(act: (one: number, other: number) => void): void {
    for (const one of this.#servers.keys())
      for (const other of this.#servers.keys()) if (one < other) act(one, other);
  }

  #step(at: ServerId, input: Input<ServerProtocol>): void {
    const staged = this.at(at);
    for (const effect of staged.server.step(input, this.#now)) {
      if (effect.kind === "append") staged.appended += effect.records.length;
      else if (effect.kind === "arm")
        this.#timers.set(`${at} ${effect.timer}`, {
          at,
          name: effect.timer,
          due: instant(this.#now + effect.after),
        });
      else if (effect.kind === "disarm") this.#timers.delete(`${at} ${effect.timer}`);
      else if (effect.kind === "output") staged.hear(effect.output);
      else if (effect.kind === "send") {
        const due = instant(this.#now + 1000);
        for (const to of effect.to) {
          if (this.#cut.has(link(at, to)) || this.drops(at, effect.message)) continue;
          this.#messages.push({ due, to, input: { kind: "message", from: at, message: effect.message } });
        }
      }
    }
    if (input.kind !== "turn") this.#step(at, { kind: "turn" });
    if (staged.durable === staged.appended) return;
    staged.durable = staged.appended;
    this.#step(at, { kind: "durable", upTo: staged.durable });
  }
}

const link = (one: number, other: number): string => [one, other].sort((a, b) => a - b).join("-");

const sooner = (best: Timer | null, timer: Timer): Timer =>
  best === null || timer.due < best.due ? timer : best;

export class StagedClient {
  readonly #ensemble: StagedEnsemble;
  readonly server: number;
  readonly id: ClientId;
  #xid = 0;

  constructor(ensemble: StagedEnsemble, server: number, id: ClientId) {
    this.#ensemble = ensemble;
    this.server = server;
    this.id = id;
  }

  /** Null when there is no answer within a second. */
  greet(wish: Partial<ConnectRequest> = {}): ConnectResponse | null {
    this.sendGreeting(wish);
    const [frame] = this.#answers();
    return frame === undefined ? null : readConnectResponse(new JuteReader(frame));
  }

  sendGreeting(wish: Partial<ConnectRequest>): void {
    const nothing = { session: 0, password: new Uint8Array(16), lastZxidSeen: 0, timeoutMs: 4000 };
    const request = { ...nothing, readOnly: false, ...wish };
    this.bytes(frameOf(writeConnectRequest(new JuteWriter(), request).finish()));
  }

  /** The errors of the replies that are there within a second; events are left out. */
  ask(request: ClientRequest): number | undefined {
    this.bytes(requestFrame(request, request.kind === "ping" ? -2 : ++this.#xid));
    const headers = this.#answers().map((frame) => readReplyHeader(new JuteReader(frame)));
    return headers.find(({ xid }) => xid !== -1)?.error;
  }

  leave(): void {
    this.#ensemble.request(this.server, { kind: "closed", client: this.id });
  }

  bytes(bytes: Uint8Array): void {
    this.#ensemble.request(this.server, { kind: "received", client: this.id, bytes });
  }

  get ended(): string | undefined {
    return this.#ensemble.at(this.server).ended.get(this.id);
  }

  #answers(): Uint8Array[] {
    const { sent } = this.#ensemble.at(this.server);
    for (let waited = 0; waited < 1000 && !sent.has(this.id); waited += 5) this.#ensemble.pass(5);
    const frames = sent.get(this.id) ?? [];
    sent.delete(this.id);
    return frames.map((frame) => frame.subarray(4));
  }
}

export const create = (path: string, flags = 0): ClientRequest => ({
  kind: "create",
  path,
  data: new Uint8Array(0),
  acl: [{ permissions: 31, id: { scheme: "world", id: "anyone" } }],
  flags,
  ttl: -1,
});
