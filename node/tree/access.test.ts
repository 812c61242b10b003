// Who is let in, by the ACL of a znode and by what a client has proved.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Acl } from "../wire/client/acl.ts";
import type { ClientRequest } from "../wire/client/request.ts";
import { ACL_BOUNDS, permits, storable } from "./access.ts";
import { Tree } from "./tree.ts";
import { failure, make, put, Stage } from "../testing/tree/stage.ts";

function begin() {
  const stage = new Stage();
  const session = stage.open();
  return { stage, session, write: (request: ClientRequest) => stage.write(request, session) };
}

const user = { scheme: "digest", id: "bob:c2VjcmV0" };

suite("who may do what", () => {
  const only = (permissions: number): Acl[] => [{ permissions, id: user }];

  test("a digest ACL keeps others out, and shows its hash only to who may change it", () => {
    const { stage, session, write } = begin();
    const other = stage.open();
    stage.ids.set(session, [user]);
    write(make("/bob", { acl: [...only(31), { permissions: 1, id: { scheme: "world", id: "anyone" } }] }));
    assert.deepEqual(stage.write(put("/bob", "x"), other), failure("noAuth"));
    assert.deepEqual(stage.write(make("/bob/x"), other), failure("noAuth"));
    assert.equal(stage.read({ kind: "getData", path: "/bob", watch: false }, other).kind, "getData");
    const shownTo = (who: number) =>
      stage.expect("getAcl", { kind: "getAcl", path: "/bob" }, who).acl[0]?.id.id;
    assert.equal(shownTo(session), user.id);
    assert.equal(shownTo(other), "bob:x");

    assert.equal(write({ kind: "setAcl", path: "/bob", acl: only(31), version: 0 }).kind, "setAcl");
    for (const kind of ["exists", "getData", "getChildren", "getChildren2"] as const) {
      assert.deepEqual(stage.read({ kind, path: "/bob", watch: true }, other), failure("noAuth"));
    }
    assert.equal(stage.tree.watches.counts.watches, 0, "who may not read may not watch");
    stage.ids.set(other, [{ scheme: "super", id: "" }]);
    assert.equal(stage.write(put("/bob", "root was here"), other).kind, "setData");
  });

  test("the scheme auth stands for what the client has proved", () => {
    const { stage, session, write } = begin();
    const acl: Acl[] = [{ permissions: 31, id: { scheme: "auth", id: "" } }];
    stage.ids.set(session, [{ scheme: "ip", id: "10.0.0.1" }]);
    assert.deepEqual(write(make("/mine", { acl })), failure("invalidAcl"));
    stage.ids.set(session, [{ scheme: "ip", id: "10.0.0.1" }, user]);
    assert.equal(write(make("/mine", { acl })).kind, "create");
    assert.deepEqual(stage.expect("getAcl", { kind: "getAcl", path: "/mine" }, session).acl, only(31));
  });

  for (const id of [
    "10.1.2.256",
    "10.1.2",
    "10.1.2.3.4",
    "10.1.2.3/33",
    "10.1.2.3/",
    "1.2.3.4/8/9",
    "::1",
    "",
  ]) {
    test(`ip "${id}" is no ACL`, () => {
      const { write } = begin();
      const acl = [{ permissions: 31, id: { scheme: "ip", id } }];
      assert.deepEqual(write(make("/net", { acl })), failure("invalidAcl"));
    });
  }

  const networks: [string, string, boolean][] = [
    ["10.1.2.3", "10.1.2.3", true],
    ["10.1.2.3", "10.1.2.4", false],
    ["10.1.0.0/16", "10.1.255.255", true],
    ["10.1.0.0/16", "10.2.0.0", false],
    ["192.168.0.0/31", "192.168.0.1", true],
    ["0.0.0.0/0", "203.0.113.9", true],
  ];
  for (const [net, address, allowed] of networks) {
    test(`ip ${net} ${allowed ? "lets" : "does not let"} ${address} in`, () => {
      const { stage, session, write } = begin();
      stage.ids.set(session, [{ scheme: "ip", id: address }]);
      write(make("/net", { acl: [{ permissions: 31, id: { scheme: "ip", id: net } }] }));
      assert.equal(write(put("/net", "x")).kind, allowed ? "setData" : "error");
    });
  }
});

suite("how much an ACL may be", () => {
  /** So many users, whose entries count 12 bytes and three for each of a hundred characters. */
  const users = (count: number) =>
    Array.from({ length: count }, (_, number) => ({ scheme: "digest", id: `${number}:`.padEnd(94, "x") }));
  const most = Math.floor(ACL_BOUNDS.expandedBytes / 312);
  const mostListed = Math.floor(ACL_BOUNDS.bytes / 312);
  const auth = (permissions: number): Acl => ({ permissions, id: { scheme: "auth", id: "" } });
  const stored = (acl: readonly Acl[], count: number): number | undefined =>
    storable(acl, users(count), ACL_BOUNDS)?.length;
  const listed = (count: number) => users(count).map((id): Acl => ({ permissions: 31, id }));

  test("is bounded once auth stands for everybody that its client is", () => {
    assert.equal(stored([auth(1)], most), most);
    assert.equal(stored([auth(1)], most + 1), undefined);
    assert.equal(stored([auth(1), auth(2)], most / 2), most);
    assert.equal(stored([auth(1), auth(2)], most / 2 + 1), undefined);
    assert.equal(stored(listed(mostListed), 0), mostListed);
    assert.equal(stored(listed(mostListed + 1), 0), undefined);
  });

  test("does not go by how often the same is said", () => {
    let asked = 0;
    const watched = users(most).map(({ scheme, id }) => ({
      scheme,
      get id() {
        asked += 1;
        return id;
      },
    }));
    assert.equal(storable(Array<Acl>(50_000).fill(auth(31)), watched, ACL_BOUNDS)?.length, most);
    assert.ok(asked <= 2 * most, "each user is looked at once for each permission");
    assert.equal(stored(Array<Acl>(50_000).fill({ permissions: 1, id: user }), 0), 1);
  });

  test("is decided by what its server knew when it was logged, and by what a snapshot can hold", () => {
    const { stage, session, write } = begin();
    stage.ids.set(session, users(most));
    const acl = (count: number): Acl[] => Array.from({ length: count }, (_, number) => auth(number + 1));
    assert.deepEqual(write(make("/a", { acl: acl(2) })), failure("invalidAcl"));
    assert.deepEqual(write({ kind: "setAcl", path: "/", acl: acl(2), version: -1 }), failure("invalidAcl"));
    stage.options = { ...stage.options, boundedAcls: false };
    assert.equal(write(make("/a", { acl: acl(400) })).kind, "create");
    assert.deepEqual(write(make("/b", { acl: acl(1000) })), failure("invalidAcl"));
    const copy = new Tree();
    const [snapshot, restoration] = [stage.tree.snapshot(), copy.restore(stage.tree.applied)];
    for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next()) {
      assert.equal(restoration.accept(chunk), null);
    }
    assert.equal(restoration.finish(), null);
    assert.equal(copy.digest(), stage.tree.digest());
  });

  test("is gone through once for all that one request asks", () => {
    let looked = 0;
    const counted = new Proxy(
      users(most).map((id): Acl => ({ permissions: 31, id })),
      {
        get(target, name, receiver) {
          if (typeof name === "string" && /^\d+$/.test(name)) looked += 1;
          return Reflect.get(target, name, receiver) as unknown;
        },
      },
    );
    const ids = users(1);
    for (let times = 0; times < 1000; times++) assert.ok(permits(counted, 1, ids));
    assert.equal(looked, most);
    assert.ok(!permits(counted, 1, [user]), "somebody else has his own answer");
  });
});
