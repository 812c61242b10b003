// Real servers and real sessions in virtual time, byte by byte: three servers in one place, clients in
// another.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Policy } from "../../client/policy.ts";
import { Question } from "../../client/question.ts";
import type { SessionEvent } from "../../client/session-protocol.ts";
import type { ServerId } from "../../core/identity.ts";
import { milliseconds, seconds } from "../../core/time.ts";
import { VirtualService } from "../../testing/host/virtual-service.ts";
import { OPEN } from "../../wire/client/acl.ts";
import { ERRORS } from "../../wire/client/error.ts";
import type { Credentials } from "../../wire/client/handshake.ts";
import type { ClientRequest } from "../../wire/client/request.ts";
import { EVENT_TYPES } from "../../wire/client/watch.ts";
import { VirtualSession } from "./clients.ts";

/** A client and what it heard. */
class Guest {
  readonly session: VirtualSession<string>;
  readonly stage: VirtualService;
  #heard: string[] = [];

  constructor(
    stage: VirtualService,
    servers: readonly ServerId[],
    policy: Partial<Policy> = {},
    session?: Credentials,
  ) {
    this.stage = stage;
    this.session = new VirtualSession<string>(stage.clients, {
      place: "far",
      servers,
      policy: { timeout: seconds(4), ...policy },
      ...(session === undefined ? {} : { session }),
      heard: (event) => this.#heard.push(said(event)),
    });
    this.session.connect();
  }

  ask(tag: string, request: ClientRequest): this {
    this.session.ask(new Question(request), tag);
    this.session.flush();
    return this;
  }

  /** What it heard since the last look, so much later. */
  after(ms: number): string[] {
    this.stage.pass(milliseconds(ms));
    const heard = this.#heard;
    this.#heard = [];
    return heard;
  }
}

function said(event: SessionEvent<string>): string {
  switch (event.kind) {
    case "opened":
      return event.resumed ? "resumed" : "begun";
    case "answered":
      return `${event.asked.tag} ${event.error}`;
    case "lost":
      return `lost ${event.asked.tag}`;
    case "watch":
      return `watch ${event.event.type} ${event.event.path}`;
    case "closed":
      return `closed: ${event.reason}`;
    case "ended":
      return event.acknowledged ? "ended, acknowledged" : "ended";
    default:
      return event.kind;
  }
}

const create = (path: string, flags = 0): ClientRequest => ({
  kind: "create",
  path,
  data: new Uint8Array(0),
  acl: OPEN,
  flags,
  ttl: -1,
});
const exists = (path: string, watch = false): ClientRequest => ({ kind: "exists", path, watch });

suite("clients in virtual time", () => {
  test("a connection takes a round trip, a session another, and an answer one more", () => {
    const stage = new VirtualService();
    const guest = new Guest(stage, [stage.leader]).ask("a", create("/a"));
    assert.deepEqual(guest.after(20), []);
    assert.deepEqual(guest.after(9), ["begun"]);
    assert.deepEqual(guest.after(15), ["a 0"]);
  });

  test("the process of its server dies: it is told, goes on next door, and its watches with it", () => {
    const stage = new VirtualService();
    const [one, other] = stage.followers as [ServerId, ServerId];
    const guest = new Guest(stage, [one, other]).ask("w", exists("/w", true));
    assert.deepEqual(guest.after(200), ["begun", `w ${ERRORS.noNode}`]);
    stage.killProcess(one);
    guest.ask("a", create("/a"));
    assert.deepEqual(guest.after(4), []);
    assert.deepEqual(guest.after(200), ["lost a", "closed: the connection ended", "resumed", "watching"]);
    new Guest(stage, [stage.leader]).ask("w", create("/w"));
    assert.deepEqual(guest.after(200), [`watch ${EVENT_TYPES.created} /w`]);
  });

  test("its server's machine dies: nobody says so, and it waits for two thirds of its timeout", () => {
    const stage = new VirtualService();
    const [one, other] = stage.followers as [ServerId, ServerId];
    const guest = new Guest(stage, [one, other]);
    assert.deepEqual(guest.after(100), ["begun"]);
    stage.cutPower(one);
    assert.deepEqual(guest.after(2400), []);
    assert.deepEqual(guest.after(400), ["closed: it was silent for too long", "resumed"]);
  });

  test("a machine that is on again knows of no connection, and says so when it is spoken to", () => {
    const stage = new VirtualService();
    const [one, other] = stage.followers as [ServerId, ServerId];
    const guest = new Guest(stage, [one, other]);
    guest.after(100);
    stage.cutPower(one);
    stage.dark.delete(one);
    stage.ensemble.start(one);
    guest.ask("a", create("/a"));
    assert.deepEqual(guest.after(10), ["lost a", "closed: the connection ended"]);
    assert.deepEqual(guest.after(200), ["resumed"]);
  });

  test("what a cut holds back arrives when it heals, in order", () => {
    const stage = new VirtualService();
    const guest = new Guest(stage, [stage.leader]);
    guest.after(100);
    stage.cut.add(stage.leader);
    guest.ask("a", create("/a")).ask("b", create("/a"));
    assert.deepEqual(guest.after(2000), []);
    stage.heal(stage.leader);
    assert.deepEqual(guest.after(100), ["a 0", `b ${ERRORS.nodeExists}`]);
  });

  test("cut off for longer than its session lasts: it has expired, and what it owned is gone", () => {
    const stage = new VirtualService();
    const guest = new Guest(stage, [stage.leader], { afterExpiry: "end" }).ask("e", create("/e", 1));
    assert.deepEqual(guest.after(200), ["begun", "e 0"]);
    stage.cut.add(stage.leader);
    guest.after(7000);
    stage.heal(stage.leader);
    assert.deepEqual(guest.after(4000).slice(-3), ["expired", "closed: its session has expired", "ended"]);
    const other = new Guest(stage, [stage.leader]).ask("e", exists("/e"));
    assert.deepEqual(other.after(200), ["begun", `e ${ERRORS.noNode}`]);
  });

  test("with a wrong password a session is nobody's, and its owner keeps it", () => {
    const stage = new VirtualService();
    const [one, other] = stage.followers as [ServerId, ServerId];
    const owner = new Guest(stage, [one]);
    owner.after(200);
    const { id } = owner.session.state.credentials;
    const thief = new Guest(stage, [other], { afterExpiry: "end" }, { id, password: new Uint8Array(16) });
    assert.deepEqual(thief.after(200), ["expired", "closed: its session has expired", "ended"]);
    assert.deepEqual(owner.ask("a", create("/a")).after(200), ["a 0"]);
  });

  test("who closes its session is told that it is over, on every server", () => {
    const stage = new VirtualService();
    const guest = new Guest(stage, [stage.leader]);
    guest.after(200);
    guest.session.close();
    assert.deepEqual(guest.after(200), ["closed: its session has ended", "ended, acknowledged"]);
    for (const tree of stage.trees.values()) assert.deepEqual([...tree.state.sessions.all()], []);
  });

  test("a server that wants no more for now gets it later: nothing is lost, and the order stays", () => {
    const stage = new VirtualService({ sync: milliseconds(50) });
    const guest = new Guest(stage, [stage.leader]);
    guest.after(500);
    const tags = Array.from({ length: 3000 }, (_, index) => `${index}`);
    for (const [index, tag] of tags.entries()) {
      guest.ask(tag, { ...create("/s-", 2) });
      if (index % 100 === 0) stage.pass(milliseconds(1));
    }
    assert.deepEqual(
      guest.after(3000),
      tags.map((tag) => `${tag} 0`),
    );
  });

  test("much is answered, because what was said counts as written when its kernel has it", () => {
    const stage = new VirtualService();
    const guest = new Guest(stage, [stage.leader]);
    guest.ask("a", { ...create("/a"), data: new Uint8Array(100_000) } as ClientRequest).after(200);
    const tags = Array.from({ length: 300 }, (_, index) => `${index}`);
    for (const tag of tags) guest.ask(tag, { kind: "getData", path: "/a", watch: false });
    assert.deepEqual(
      guest.after(1000),
      tags.map((tag) => `${tag} 0`),
    );
  });
});
