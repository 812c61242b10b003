import assert from "node:assert/strict";
import { test } from "node:test";
import { create, StagedEnsemble } from "../testing/front/server-stage.ts";
import { handOver } from "../testing/tree/stage.ts";
import { ERRORS } from "../wire/client/error.ts";
import type { ClientRequest } from "../wire/client/request.ts";

test("a client opens a session, writes and reads", () => {
  const alone = new StagedEnsemble(1);
  const client = alone.connect(1);
  assert.ok(client.greet());
  assert.equal(client.ask(create("/a")), ERRORS.ok);
  assert.equal(client.ask(create("/a")), ERRORS.nodeExists);
  assert.equal(client.ask({ kind: "getData", path: "/a", watch: false }), ERRORS.ok);
});

test("a session whose client is silent ends, and its ephemerals with it", () => {
  const alone = new StagedEnsemble(1);
  const client = alone.connect(1);
  const session = client.greet({ timeoutMs: 4000 })?.session ?? assert.fail("no session");
  assert.equal(client.ask(create("/e", 1)), ERRORS.ok);
  alone.pass(3000);
  assert.ok(alone.at(1).hasSession(session));
  alone.pass(4000);
  assert.ok(!alone.at(1).hasSession(session));
  assert.equal(client.ended, "it fell silent");
  const other = alone.connect(1);
  other.greet();
  assert.equal(other.ask({ kind: "exists", path: "/e", watch: false }), ERRORS.noNode);
});

test("after a snapshot those sessions end that it holds, and no others are looked after", () => {
  const [alone, other] = [new StagedEnsemble(1), new StagedEnsemble(1)];
  const client = alone.connect(1);
  client.greet({ timeoutMs: 60_000 });
  for (const path of ["/a", "/b", "/c"]) assert.equal(client.ask(create(path)), ERRORS.ok);
  alone.connect(1).greet({ timeoutMs: 60_000 });
  other.connect(1).greet({ timeoutMs: 20_000 });
  const session = other.connect(1).greet({ timeoutMs: 4000 })?.session ?? assert.fail("no session");
  alone.pass(1000);
  const { server, tree } = alone.at(1);
  handOver(other.at(1).tree, tree);
  alone.pass(3000);
  const expected = server.expiring(alone.now).flatMap(([, ids]) => ids);
  assert.ok(expected.includes(session));
  assert.deepEqual(new Set(expected), new Set([...tree.state.sessions.all()].map(({ id }) => id)));
  alone.pass(3000);
  assert.ok(!alone.at(1).hasSession(session));
});

test("a container that has lost its last child goes by itself", () => {
  const alone = new StagedEnsemble(1);
  const client = alone.connect(1);
  client.greet({ timeoutMs: 20_000 });
  assert.equal(client.ask({ ...create("/c", 4), kind: "createContainer" } as ClientRequest), ERRORS.ok);
  assert.equal(client.ask(create("/c/x")), ERRORS.ok);
  assert.equal(client.ask({ kind: "delete", path: "/c/x", version: -1 }), ERRORS.ok);
  alone.pass(1500);
  assert.equal(client.ask({ kind: "getData", path: "/c", watch: false }), ERRORS.noNode);
});

test("znodes with a time to live follow a wall clock that is set ahead, and none that is set back", () => {
  const alone = new StagedEnsemble(1);
  const client = alone.connect(1);
  client.greet({ timeoutMs: 60_000 });
  const hour = 3_600_000;
  const shown = 1e12;
  const lasting = (path: string): ClientRequest =>
    ({ ...create(path, 5), kind: "createTtl", ttl: hour }) as ClientRequest;
  const isThere = (path: string): boolean => client.ask({ kind: "exists", path, watch: false }) === ERRORS.ok;
  assert.equal(client.ask(lasting("/a")), ERRORS.ok);
  alone.pass(2000);
  assert.ok(isThere("/a"));
  alone.setClock(1, shown + 2 * hour);
  alone.pass(2000);
  assert.ok(!isThere("/a"));
  assert.equal(client.ask(lasting("/b")), ERRORS.ok);
  alone.setClock(1, shown + 3 * hour + 60_000);
  assert.equal(client.ask(create("/c")), ERRORS.ok);
  alone.setClock(1, shown);
  alone.pass(2000);
  assert.ok(!isThere("/b"), "the tree has seen its end");
});
