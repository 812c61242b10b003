// Who is let in, by the ACL of a znode and by what a client has proved.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Acl } from "../wire/client/acl.ts";
import type { ClientRequest } from "../wire/client/request.ts";
import { failure, make, put, Stage } from "../testing/tree/stage.ts";

function begin() {
  const stage = new Stage();
  const session = stage.open();
  return { stage, session, write: (request: ClientRequest) => stage.write(request, session) };
}

suite("who may do what", () => {
  const user = { scheme: "digest", id: "bob:c2VjcmV0" };
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
