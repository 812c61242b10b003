/**
 * For tests: a client in virtual time, and whoever tells its story in the place of its servers and its clock.
 */

import { utf8Bytes } from "../../core/utf8.ts";
import assert from "node:assert/strict";
import { after, type Instant, instant, milliseconds } from "../../core/time.ts";
import { ERRORS } from "../../wire/client/error.ts";
import { readConnectRequest, writeConnectResponse } from "../../wire/client/handshake.ts";
import { framed, readRequestHeader, writeReplyHeader, XID } from "../../wire/client/header.ts";
import { JuteReader, JuteWriter } from "../../wire/client/jute.ts";
import { operationOf } from "../../wire/client/operation.ts";
import { type ClientReply, type ClientRequest, readRequest, writeReply } from "../../wire/client/request.ts";
import { CONNECTED, writeWatchEvent } from "../../wire/client/watch.ts";
import type { Policy } from "../../client/policy.ts";
import { Question } from "../../client/question.ts";
import { ClientSession } from "../../client/session.ts";
import type { SessionEffect, SessionInput, SessionTimer } from "../../client/session-protocol.ts";

const PASSWORD = utf8Bytes("sixteen letters.");
export const TIMEOUT_MS = 3000;

export class Told {
  readonly session: ClientSession<string>;
  /** As `connect 1`, `open`, `answer a ok 7`, `lost a`, `watch 3 /x`, since the last look. */
  #heard: string[] = [];
  #said: Uint8Array[] = [];
  readonly #timers = new Map<SessionTimer, Instant>();
  now = instant(0);

  constructor(policy: Partial<Policy> = {}, servers = 3) {
    this.session = new ClientSession(servers, { timeout: milliseconds(TIMEOUT_MS), ...policy });
    this.do({ kind: "connect" });
  }

  do(input: SessionInput): this {
    for (const effect of this.session.step(input, this.now)) this.#note(effect);
    return this;
  }

  ask(...requests: readonly (readonly [tag: string, request: ClientRequest])[]): this {
    for (const [tag, request] of requests) this.session.ask(new Question(request), tag);
    return this.do({ kind: "flush" });
  }

  /** The connection that it wants is there, and the server gives it a session. */
  opens(id = 7, timeoutMs = TIMEOUT_MS, readOnly = false): this {
    this.do({ kind: "connected" });
    this.#said.pop();
    return this.welcomes(id, timeoutMs, readOnly);
  }

  welcomes(session: number, timeoutMs = TIMEOUT_MS, readOnly = false): this {
    const response = { session, timeoutMs, password: PASSWORD, readOnly };
    return this.hears(framed(writeConnectResponse(new JuteWriter(), response).finish()));
  }

  hears(bytes: Uint8Array): this {
    return this.do({ kind: "received", bytes });
  }

  answers(xid: number, zxid: number, error: number = ERRORS.ok, reply?: ClientReply): this {
    return this.hears(answer(xid, zxid, error, reply));
  }

  pass(ms: number): this {
    const end = after(this.now, milliseconds(ms));
    for (;;) {
      const [timer, due] = [...this.#timers].sort(([, a], [, b]) => a - b)[0] ?? ["look", instant(Infinity)];
      if (due > end) break;
      this.now = due;
      this.#timers.delete(timer);
      this.do({ kind: "timeout", timer });
    }
    this.now = end;
    return this;
  }

  heard(): string[] {
    const heard = this.#heard;
    this.#heard = [];
    return heard;
  }

  /** What it wrote since the last look: `hello 7 zxid 3`, or `1 getData /a` after its xid. */
  said(): string[] {
    const bytes = Uint8Array.from(this.#said.flatMap((piece) => [...piece]));
    this.#said = [];
    const said: string[] = [];
    for (let at = 0; at < bytes.length; ) {
      const payload = new JuteReader(bytes, at).buffer() ?? new Uint8Array(0);
      at += 4 + payload.length;
      said.push(spoken(payload));
    }
    return said;
  }

  #note(effect: SessionEffect<string>): void {
    switch (effect.kind) {
      case "write":
        this.#said.push(effect.bytes);
        break;
      case "arm":
        this.#timers.set(effect.timer, after(this.now, effect.after));
        break;
      case "disarm":
        this.#timers.delete(effect.timer);
        break;
      case "connect":
        this.#heard.push(`connect ${effect.server}`);
        break;
      case "opened":
        this.#heard.push(`${effect.resumed ? "resumed" : "begun"}${effect.readOnly ? " read-only" : ""}`);
        break;
      case "answered":
        this.#heard.push(`answer ${effect.asked.tag} ${effect.error} ${effect.zxid}`);
        break;
      case "lost":
        this.#heard.push(`lost ${effect.asked.tag}`);
        break;
      case "watch":
        this.#heard.push(`watch ${effect.event.type} ${effect.event.path}`);
        break;
      case "ended":
        this.#heard.push(effect.acknowledged ? "ended, acknowledged" : "ended");
        break;
      case "closed":
        this.#heard.push(`closed: ${effect.reason}`);
        break;
      default:
        this.#heard.push(effect.kind);
    }
  }
}

export function answer(
  xid: number,
  zxid: number,
  error: number = ERRORS.ok,
  reply?: ClientReply,
): Uint8Array {
  const writer = writeReplyHeader(new JuteWriter(), { xid, zxid, error });
  return framed((reply === undefined ? writer : writeReply(writer, reply)).finish());
}

export const event = (type: number, path: string): Uint8Array =>
  framed(
    writeWatchEvent(writeReplyHeader(new JuteWriter(), { xid: XID.event, zxid: -1, error: 0 }), {
      type,
      state: CONNECTED,
      path,
    }).finish(),
  );

/** No request begins with a zero, which a handshake does. */
function spoken(payload: Uint8Array): string {
  if (payload.length >= 44 && payload[3] === 0) {
    const { session, lastZxidSeen, password } = readConnectRequest(new JuteReader(payload));
    const shown = password.every((byte) => byte === 0) ? "" : " with password";
    return `hello ${session}${shown} zxid ${lastZxidSeen}`;
  }
  const reader = new JuteReader(payload);
  const { xid, operation } = readRequestHeader(reader);
  const kind = operationOf(operation) ?? assert.fail(`operation ${operation}`);
  const request = readRequest(kind, reader) ?? assert.fail(`no ${kind}`);
  if (request.kind !== "setWatches" && request.kind !== "setWatches2")
    return `${xid} ${kind}${"path" in request ? ` ${request.path}` : ""}`;
  const lists = [request.data, request.exist, request.child, request.persistent, request.recursive];
  return `${xid} ${kind} ${request.relativeZxid} ${lists.map((list) => list.join(",")).join(" ")}`;
}
