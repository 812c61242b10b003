import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../core/identity.ts";
import { timeOfDay } from "../core/time.ts";
import { epoch, zxid } from "../core/zxid.ts";
import { ERRORS } from "../wire/client/error.ts";
import { JuteReader } from "../wire/client/jute.ts";
import type { ClientRequest } from "../wire/client/request.ts";
import { DEFAULTS, payloadOf } from "./payload.ts";
import { expiryXid } from "./sessions.ts";
import { Tree } from "./tree.ts";

const [one, two, three] = [serverId(1), serverId(2), serverId(3)] as const;

/** A tree to which servers speak, in epoch 5 unless said otherwise. */
class Spoken {
  readonly #tree = new Tree();
  #counter = 0;

  say(origin: number, request: ClientRequest, session: number, xid = 0, inEpoch = 5): number {
    const payload = payloadOf(request, { session, xid, ids: [], options: DEFAULTS });
    const ticket = { origin: serverId(origin), life: 1, sequence: this.#counter };
    const id = zxid(epoch(inEpoch), ++this.#counter);
    const result = this.#tree.apply({ zxid: id, time: timeOfDay(0), ticket, payload, imaged: false });
    return new JuteReader(result).int();
  }

  begin(origin: number): number {
    assert.equal(this.say(origin, { kind: "createSession", timeoutMs: 4000, seal: "a seal" }, 0), 0);
    return zxid(epoch(5), this.#counter);
  }

  move(session: number, to: number): void {
    assert.equal(this.say(to, { kind: "createSession", timeoutMs: 4000, seal: "a seal" }, session), 0);
  }

  changed(): readonly number[] {
    return [...this.#tree.state.sessions.takeChanged()];
  }

  end(origin: number, session: number, xid = 0, inEpoch = 5): number {
    return this.say(origin, { kind: "closeSession" }, session, xid, inEpoch);
  }
}

test("the server at which a session is may end it", () => {
  const tree = new Spoken();
  const session = tree.begin(one);
  assert.equal(tree.end(one, session), 0);
  assert.equal(tree.end(one, session), ERRORS.sessionExpired);
});

test("a server that gave it up cannot end it once it has moved", () => {
  const tree = new Spoken();
  const session = tree.begin(one);
  tree.move(session, two);
  assert.equal(tree.end(one, session), ERRORS.sessionMoved);
  assert.equal(tree.end(one, session, expiryXid(epoch(5), one)), ERRORS.sessionMoved);
});

test("the leader ends a session of a server that is down", () => {
  const tree = new Spoken();
  const session = tree.begin(two);
  assert.equal(tree.end(three, session, expiryXid(epoch(5), two)), 0);
});

test("what a leader asked in an epoch that is over ends no session", () => {
  const tree = new Spoken();
  const session = tree.begin(two);
  assert.equal(tree.end(three, session, expiryXid(epoch(5), two), 6), ERRORS.sessionMoved);
});

test("whoever asks is told once which sessions have begun, moved or ended", () => {
  const tree = new Spoken();
  const [stays, moves, ends] = [tree.begin(one), tree.begin(one), tree.begin(one)];
  assert.deepEqual(tree.changed(), [stays, moves, ends]);
  assert.deepEqual(tree.changed(), []);
  tree.move(moves, two);
  tree.end(one, ends);
  tree.end(two, stays);
  assert.deepEqual(tree.changed(), [moves, ends], "who may not end it changes nothing");
});
