// lane: works, 1 s
// What holds in a tree that came as a snapshot: limits and what was counted towards them, permissions, and
// who watched.
import { utf8Bytes, utf8Text } from "../core/utf8.ts";
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Acl, OPEN } from "../wire/client/acl.ts";

import { erase, failure, make, put, restored, Stage } from "../testing/tree/stage.ts";
import { Tree } from "./tree.ts";

const QUOTA = "/zookeeper/quota/app";

/** At most three znodes and 20 bytes at and below `/app`, which has two of 5 bytes. */
function limited(): { stage: Stage; session: number } {
  const stage = new Stage();
  stage.options = { ...stage.options, enforceQuota: true };
  const session = stage.open();
  const write = (request: Parameters<Stage["write"]>[0]) => stage.write(request, session);
  write(make("/app", { data: utf8Bytes("12") }));
  write(make("/app/one", { data: utf8Bytes("345") }));
  write(make("/apple", { data: utf8Bytes("not below it") }));
  const limits = utf8Bytes("count=-1,bytes=-1=;byteHardLimit=20;countHardLimit=3");
  write(make(QUOTA));
  write(make(`${QUOTA}/zookeeper_limits`, { data: limits }));
  write(make(`${QUOTA}/zookeeper_stats`));
  return { stage, session };
}

const counted = (stage: Stage, session: number): string =>
  utf8Text(
    stage.expect("getData", { kind: "getData", path: `${QUOTA}/zookeeper_stats`, watch: false }, session)
      .data ?? new Uint8Array(0),
  );

suite("in a tree that came as a snapshot", () => {
  test("a quota counts on from where it was, and its limits hold", () => {
    const { stage: before, session } = limited();
    assert.equal(counted(before, session), "count=2,bytes=5");
    const stage = restored(before);
    assert.equal(counted(stage, session), "count=2,bytes=5");
    assert.equal(stage.write(make("/app/two", { data: utf8Bytes("6") }), session).kind, "create");
    assert.equal(counted(stage, session), "count=3,bytes=6");
    assert.deepEqual(stage.write(make("/app/three"), session), failure("quotaExceeded"));
    assert.deepEqual(stage.write(put("/app/two", "x".repeat(16)), session), failure("quotaExceeded"));
    assert.equal(stage.write(put("/app/two", "x".repeat(15)), session).kind, "setData");
    assert.equal(counted(stage, session), "count=3,bytes=20");
    assert.equal(stage.write(erase("/app/one"), session).kind, "done");
    assert.equal(counted(stage, session), "count=2,bytes=17");
    assert.equal(stage.write(make("/apple/pie"), session).kind, "create", "another path");
  });

  test("a limit that was removed before is none", () => {
    const { stage: before, session } = limited();
    before.write(erase(`${QUOTA}/zookeeper_limits`), session);
    const stage = restored(before);
    for (const path of ["/app/2", "/app/3", "/app/4"])
      assert.equal(stage.write(make(path, { data: utf8Bytes("x".repeat(30)) }), session).kind, "create");
    assert.equal(counted(stage, session), "count=2,bytes=5", "nor is anything counted");
  });

  test("who may do what is as it was, znode by znode", () => {
    const before = new Stage();
    const [owner, other] = [before.open(), before.open()];
    const digest = { scheme: "digest", id: "owner:hash" };
    before.ids.set(owner, [digest]);
    before.ids.set(other, [{ scheme: "ip", id: "10.0.0.7" }]);
    const acls: Readonly<Record<string, Acl[]>> = {
      own: [{ permissions: 31, id: digest }],
      read: [
        { permissions: 1, id: { scheme: "ip", id: "10.0.0.0/8" } },
        { permissions: 31, id: digest },
      ],
      open: [...OPEN],
    };
    for (const [name, acl] of Object.entries(acls)) before.write(make(`/${name}`, { acl }), owner);
    before.write(make("/changed", { acl: acls["own"] ?? [] }), owner);
    before.write({ kind: "setAcl", path: "/changed", acl: acls["read"] ?? [], version: -1 }, owner);
    const may = (stage: Stage): string[] =>
      ["own", "read", "open", "changed"].map((name) => {
        const path = `/${name}`;
        const reads = stage.read({ kind: "getData", path, watch: false }, other).kind !== "error";
        const writes = stage.write(put(path, "x"), other).kind !== "error";
        return `${name}:${reads ? " reads" : ""}${writes ? " writes" : ""}`;
      });
    const stage = restored(before);
    assert.deepEqual(may(stage), ["own:", "read: reads", "open: reads writes", "changed: reads"]);
    for (const name of ["own", "read", "open", "changed"]) {
      const acl = stage.expect("getAcl", { kind: "getAcl", path: `/${name}` }, owner);
      assert.deepEqual(acl.acl, acls[name === "changed" ? "read" : name]);
      assert.equal(acl.stat.aversion, name === "changed" ? 1 : 0);
    }
  });

  test("nobody watches any more, and everybody is told that once", () => {
    const before = new Stage();
    const session = before.open();
    before.write(make("/a"), session);
    const into = new Tree();
    const there = new Stage(into);
    const watcher = there.open();
    there.write(make("/a"), watcher);
    there.read({ kind: "getData", path: "/a", watch: true }, watcher);
    there.read({ kind: "addWatch", path: "/", mode: 1 }, watcher);
    into.takeEvents();
    const stage = restored(before, into);
    assert.deepEqual(into.takeEvents(), [{ kind: "replaced", zxid: before.tree.applied }]);
    stage.write(put("/a", "new"), session);
    stage.write(make("/b"), session);
    assert.deepEqual(
      into.takeEvents().filter(({ kind }) => kind !== "sessionEnded"),
      [],
    );
  });
});
