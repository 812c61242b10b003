import assert from "node:assert/strict";
import { test } from "node:test";
import type { Input } from "./core/automaton.ts";
import { clientId, serverId } from "./core/identity.ts";
import { BLANK } from "./core/recovery.ts";
import { type Instant, instant, milliseconds, timeOfDay } from "./core/time.ts";
import { oracles } from "./oracle/catalog.ts";
import { Server, type ServerProtocol } from "./server.ts";
import type { Secrets } from "./tree/credentials.ts";
import { requestFrame } from "./tree/front-stage.ts";
import { frameOf } from "./tree/frame.ts";
import { DEFAULTS } from "./tree/payload.ts";
import { Tree } from "./tree/tree.ts";
import { readConnectResponse, writeConnectRequest } from "./wire/client/handshake.ts";
import { readReplyHeader } from "./wire/client/header.ts";
import { JuteReader, JuteWriter } from "./wire/client/jute.ts";
import type { ClientRequest } from "./wire/client/request.ts";

const self = serverId(1);
const client = clientId(1);

const SECRETS: Secrets = {
  sha1: (bytes) => bytes,
  password: () => new Uint8Array(16),
  seal: () => "a seal",
  superDigest: null,
};

/** A server alone, whose disk is at once and whose clock is the story's. */
class Alone {
  readonly tree = new Tree();
  readonly server: Server;
  readonly sent: Uint8Array[] = [];
  readonly closed: string[] = [];
  #now = instant(0);
  #appended = 0;
  #durable = 0;
  readonly #timers = new Map<string, Instant>();

  constructor() {
    this.server = new Server({
      tree: this.tree,
      readOnly: false,
      front: {
        self,
        tick: milliseconds(1000),
        timeouts: { least: milliseconds(2000), most: milliseconds(20_000) },
        skipAcl: false,
        patience: milliseconds(5000),
        secrets: SECRETS,
        options: DEFAULTS,
      },
      replica: { servers: [self], oracle: oracles.history.create() },
    });
    this.step({ kind: "start", recovered: BLANK, life: 1, timeOfDay: timeOfDay(1e12) });
    this.pass(2000);
  }

  step(input: Input<ServerProtocol>): void {
    for (const effect of this.server.step(input, this.#now)) {
      if (effect.kind === "append") this.#appended += effect.records.length;
      else if (effect.kind === "arm") this.#timers.set(effect.timer, instant(this.#now + effect.after));
      else if (effect.kind === "disarm") this.#timers.delete(effect.timer);
      else if (effect.kind === "output" && effect.output.kind === "send") this.sent.push(effect.output.bytes);
      else if (effect.kind === "output" && effect.output.kind === "close")
        this.closed.push(effect.output.reason);
    }
    if (input.kind !== "turn") this.step({ kind: "turn" });
    if (this.#durable === this.#appended) return;
    this.#durable = this.#appended;
    this.step({ kind: "durable", upTo: this.#durable });
  }

  pass(ms: number): void {
    const end = instant(this.#now + ms * 1000);
    for (;;) {
      const [timer, due] = [...this.#timers].sort(([, a], [, b]) => a - b)[0] ?? ["", instant(Infinity)];
      if (due > end) break;
      this.#now = due;
      this.#timers.delete(timer);
      this.step({ kind: "timeout", timer: timer as ServerProtocol["timer"] });
    }
    this.#now = end;
  }

  bytes(bytes: Uint8Array): void {
    this.step({ kind: "request", request: { kind: "received", client, bytes } });
  }

  greet(timeoutMs = 4000): number {
    this.step({ kind: "request", request: { kind: "opened", client, address: "127.0.0.1", port: 1 } });
    const wish = { lastZxidSeen: 0, timeoutMs, session: 0, password: new Uint8Array(16), readOnly: false };
    this.bytes(frameOf(writeConnectRequest(new JuteWriter(), wish).finish()));
    return readConnectResponse(this.#next()).session;
  }

  /** The error of the reply. */
  ask(request: ClientRequest, xid: number): number {
    this.bytes(requestFrame(request, xid));
    const header = readReplyHeader(this.#next());
    assert.equal(header.xid, xid);
    return header.error;
  }

  #next(): JuteReader {
    const frame = this.sent.shift() ?? assert.fail("nothing was sent");
    return new JuteReader(frame.subarray(4));
  }
}

const create = (path: string, flags: number): ClientRequest => ({
  kind: "create",
  path,
  data: new Uint8Array(0),
  acl: [{ permissions: 31, id: { scheme: "world", id: "anyone" } }],
  flags,
  ttl: -1,
});

test("a client opens a session, writes and reads", () => {
  const alone = new Alone();
  assert.equal(alone.server.status.role, "leading");
  assert.notEqual(alone.greet(), 0);
  assert.equal(alone.ask(create("/a", 0), 1), 0);
  assert.equal(alone.ask(create("/a", 0), 2), -110);
  assert.equal(alone.ask({ kind: "getData", path: "/a", watch: false }, 3), 0);
});

test("a session whose client is silent ends, and its ephemerals with it", () => {
  const alone = new Alone();
  const session = alone.greet(4000);
  assert.equal(alone.ask(create("/e", 1), 1), 0);
  alone.pass(3000);
  assert.notEqual(alone.tree.state.sessions.get(session), undefined);
  alone.pass(4000);
  assert.equal(alone.tree.state.sessions.get(session), undefined);
  assert.deepEqual(alone.closed, ["it fell silent"]);
});

test("a container that has lost its last child goes by itself", () => {
  const alone = new Alone();
  alone.greet(20_000);
  assert.equal(alone.ask({ ...create("/c", 4), kind: "createContainer" } as ClientRequest, 1), 0);
  assert.equal(alone.ask(create("/c/x", 0), 2), 0);
  assert.equal(alone.ask({ kind: "delete", path: "/c/x", version: -1 }, 3), 0);
  alone.pass(1500);
  assert.equal(alone.ask({ kind: "getData", path: "/c", watch: false }, 4), -101);
});
