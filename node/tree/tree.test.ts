// What every request does and answers, told as stories. Where a story settles a question of ZooKeeper's
// behaviour, the answer is that of Apache ZooKeeper 3.8.0, which was asked.

import { utf8Bytes, utf8Text } from "../core/utf8.ts";
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Acl, OPEN } from "../wire/client/acl.ts";
import { ERRORS, type ErrorName } from "../wire/client/error.ts";
import { clientId } from "../core/identity.ts";
import { joined } from "../core/pieces.ts";
import { timeOfDay } from "../core/time.ts";
import { JuteReader } from "../wire/client/jute.ts";
import { type ClientRequest, readReply } from "../wire/client/request.ts";
import type { Stat } from "../wire/client/stat.ts";
import { payloadOf } from "./payload.ts";
import { erase, failure, make, put, SEAL, Stage } from "../testing/tree/stage.ts";

function begin() {
  const stage = new Stage();
  const session = stage.open();
  const write = (request: ClientRequest) => stage.write(request, session);
  const read = (request: ClientRequest) => stage.read(request, session);
  const at = (path: string) => ({ path, watch: false });
  const stat = (path: string): Stat => stage.expect("exists", { kind: "exists", ...at(path) }, session).stat;
  const names = (path: string) =>
    stage.expect("getChildren", { kind: "getChildren", ...at(path) }, session).names;
  const text = (path: string) =>
    utf8Text(stage.expect("getData", { kind: "getData", ...at(path) }, session).data ?? new Uint8Array(0));
  return { stage, session, write, read, stat, names, text };
}

suite("a fresh tree", () => {
  test("has the four reserved znodes, with the stats of a fresh ZooKeeper", () => {
    const { stat, names } = begin();
    assert.deepEqual(names("/"), ["zookeeper"]);
    assert.deepEqual([...names("/zookeeper")].sort(), ["config", "quota"]);
    const summary = (path: string) => {
      const { czxid, mtime, version, cversion, aversion, numChildren } = stat(path);
      return [czxid, mtime, version, cversion, aversion, numChildren];
    };
    assert.deepEqual(summary("/"), [0, 0, 0, -1, 0, 1]);
    assert.deepEqual(summary("/zookeeper"), [0, 0, 0, -2, 0, 2]);
    assert.deepEqual(summary("/zookeeper/quota"), [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(summary("/zookeeper/config"), [0, 0, 0, 0, -1, 0]);
  });
});

suite("a znode's stat", () => {
  test("tells its birth, its changes, and its children's comings and goings", () => {
    const { stage, write, stat } = begin();
    const born = stage.next;
    write(make("/a", { data: utf8Bytes("four") }));
    assert.deepEqual(stat("/a"), {
      czxid: born,
      mzxid: born,
      ctime: stage.time,
      mtime: stage.time,
      version: 0,
      cversion: 0,
      aversion: 0,
      ephemeralOwner: 0,
      dataLength: 4,
      numChildren: 0,
      pzxid: born,
    });

    stage.time += 1000;
    write(put("/a", "fives"));
    const { mzxid, mtime, version, dataLength, pzxid, ctime } = stat("/a");
    assert.deepEqual([mzxid, mtime, version, dataLength], [born + 1, stage.time, 1, 5]);
    assert.deepEqual([pzxid, ctime], [born, stage.time - 1000]);

    write(make("/a/b"));
    write(make("/a/c"));
    assert.deepEqual([stat("/a").cversion, stat("/a").numChildren, stat("/a").pzxid], [2, 2, born + 3]);
    write(erase("/a/b"));
    assert.deepEqual([stat("/a").cversion, stat("/a").numChildren, stat("/a").pzxid], [3, 1, born + 4]);
    assert.equal(stat("/a").mzxid, born + 1, "a parent's own data did not change");
  });

  test("never has version -1, which means any version to those who ask", () => {
    const { stage, write, stat } = begin();
    write(make("/a"));
    const { nodes } = stage.tree.state;
    nodes.dataChanged(nodes.find("/a"), -2, stage.next, timeOfDay(stage.time));
    write(put("/a", "x"));
    assert.equal(stat("/a").version, 0);
  });

  test("tells null data from empty data", () => {
    const { write, read } = begin();
    write(make("/null", { data: null }));
    assert.equal((read({ kind: "getData", path: "/null", watch: false }) as { data: unknown }).data, null);
  });
});

suite("what a request with a fault is answered", () => {
  const table: [ClientRequest, ErrorName][] = [
    [make("/a"), "nodeExists"],
    [make("/"), "nodeExists"],
    [make("/none/x"), "noNode"],
    [make("/t/"), "noNode"],
    [make("/a//b"), "noNode"],
    [make("/a/"), "badArguments"],
    [make("/a/.."), "badArguments"],
    [make("/a/./b"), "noNode"],
    [make("/a/\u0001"), "badArguments"],
    [make("/a/\ufffd"), "badArguments"],
    [make(""), "badArguments"],
    [make("x"), "badArguments"],
    [make("/f", { flags: 9 }), "badArguments"],
    [make("/f", { acl: [] }), "invalidAcl"],
    [make("/f", { acl: [{ permissions: 31, id: { scheme: "nonsense", id: "x" } }] }), "invalidAcl"],
    [make("/e/child"), "noChildrenForEphemerals"],
    [make("/ttl", { kind: "createTtl", flags: 5, ttl: 1000 }), "unimplemented"],
    [erase("/"), "badArguments"],
    [erase("/zookeeper/quota"), "badArguments"],
    [erase("x"), "badArguments"],
    [erase("/a/"), "noNode"],
    [erase("/none"), "noNode"],
    [erase("/a", 7), "badVersion"],
    [erase("/p"), "notEmpty"],
    [put("x", ""), "badArguments"],
    [put("/none", ""), "noNode"],
    [put("/a", "", 3), "badVersion"],
    [put("/zookeeper/config", ""), "noAuth"],
    [{ kind: "check", path: "/a", version: 5 }, "badVersion"],
    [{ kind: "setAcl", path: "/a", acl: OPEN, version: 5 }, "badVersion"],
    [{ kind: "reconfig", joining: "", leaving: "", newMembers: "", currentConfig: -1 }, "unimplemented"],
  ];
  for (const [request, error] of table) {
    const what = "path" in request ? `${request.kind} ${JSON.stringify(request.path)}` : request.kind;
    test(`${what}: ${error}, and the zxid is used up`, () => {
      const { stage, session, write } = begin();
      write(make("/a"));
      write(make("/p"));
      write(make("/p/q"));
      write(make("/e", { flags: 1 }));
      const [zxid, digest] = [stage.tree.applied, stage.tree.digest()];
      assert.deepEqual(stage.write(request, session), failure(error));
      assert.equal(stage.tree.applied, zxid + 1);
      assert.equal(stage.tree.digest(), digest);
      assert.equal(stage.tree.takeEvents().filter(({ kind }) => kind === "watch").length, 0);
    });
  }

  test("bytes that are no request: marshalling error", () => {
    const { stage } = begin();
    const transaction = {
      time: 0 as never,
      ticket: { origin: 1 as never, life: 1, sequence: 9 },
      imaged: false,
    };
    const result = stage.tree.apply({ ...transaction, zxid: stage.next, payload: Uint8Array.of(1, 2, 3) });
    assert.deepEqual([...result], [255, 255, 255, 251]);
  });
});

suite("large data", () => {
  test("stands in an answer without a copy, and as it was whatever is written later", () => {
    const { stage, write, stat } = begin();
    const data = new Uint8Array(20_000).fill(7);
    write({ ...make("/large"), data });
    const caller = { session: 0, xid: 0, ids: [], options: stage.options };
    const query = payloadOf({ kind: "getData", path: "/large", watch: false }, caller);
    const told = (): readonly Uint8Array[] => stage.tree.read(clientId(1), query);
    const first = told();
    assert.ok(told()[1] === first[1], "one array for all who ask");
    const then = stat("/large");
    write({ kind: "setData", path: "/large", data: data.slice().fill(8), version: -1 });
    write({ kind: "setData", path: "/large", data: data.slice().fill(9), version: -1 });
    const reader = new JuteReader(joined(first));
    assert.equal(reader.int(), ERRORS.ok);
    const reply = readReply("getData", reader);
    assert.ok(reply?.kind === "getData" && reply.data !== null);
    assert.deepEqual([reply.data.length, reply.stat], [data.length, then]);
    assert.ok(reply.data.every((byte) => byte === 7));
  });
});

suite("sequential znodes", () => {
  test("are numbered by how many children there ever were, of any kind", () => {
    const { write } = begin();
    write(make("/q"));
    write(make("/q/plain"));
    assert.deepEqual(write(make("/q/n-", { flags: 2 })), { kind: "create", path: "/q/n-0000000001" });
    write(erase("/q/plain"));
    assert.deepEqual(write(make("/q/n-", { flags: 2 })), { kind: "create", path: "/q/n-0000000002" });
    assert.deepEqual(write(make("/q/", { flags: 2 })), { kind: "create", path: "/q/0000000003" });
  });
});

suite("sessions", () => {
  test("take their ephemeral znodes along when they end", () => {
    const { stage, session, write, read, names, stat } = begin();
    write(make("/e1", { flags: 1 }));
    write(make("/e2", { flags: 3 }));
    assert.equal(stat("/e1").ephemeralOwner, session);
    assert.deepEqual(read({ kind: "getEphemerals", path: "/" }), {
      kind: "getEphemerals",
      names: ["/e1", "/e20000000001"],
    });
    assert.deepEqual(read({ kind: "getEphemerals", path: "/e2" }), {
      kind: "getEphemerals",
      names: ["/e20000000001"],
    });
    write({ kind: "closeSession" });
    assert.deepEqual(names("/"), ["zookeeper"]);
    assert.deepEqual(stage.write(make("/x"), session), failure("sessionExpired"));
    assert.deepEqual(stage.write({ kind: "closeSession" }, session), failure("sessionExpired"));
  });

  test("move: what the old server still sends in their name is refused", () => {
    const { stage, session } = begin();
    stage.write(make("/e", { flags: 1 }), session);
    const moved = stage.write({ kind: "createSession", timeoutMs: 9000, seal: SEAL }, session, 2);
    assert.deepEqual(moved, { kind: "createSession", session, timeoutMs: 9000 });
    assert.deepEqual(stage.write(make("/late"), session, 1), failure("sessionMoved"));
    assert.deepEqual(stage.write(erase("/e"), session, 2), { kind: "done" });
  });

  test("move with their own password only: with another one nothing is got, and nothing changed", () => {
    const { stage, session } = begin();
    const stolen = stage.write({ kind: "createSession", timeoutMs: 9000, seal: "another seal" }, session, 2);
    assert.deepEqual(stolen, failure("sessionExpired"));
    assert.deepEqual(stage.write(make("/still-here"), session, 1), { kind: "create", path: "/still-here" });
  });

  test("that ended cannot be resumed", () => {
    const { stage, session } = begin();
    stage.write({ kind: "closeSession" }, session);
    assert.deepEqual(
      stage.write({ kind: "createSession", timeoutMs: 4000, seal: SEAL }, session, 2),
      failure("sessionExpired"),
    );
  });
});

suite("a multi", () => {
  test("answers each of its operations, all under one zxid", () => {
    const { stage, write, stat } = begin();
    const zxid = stage.next;
    const reply = write({
      kind: "multi",
      operations: [
        make("/m"),
        make("/m/a", { kind: "create2" }),
        make("/m/c", { kind: "createContainer", flags: 4 }),
        put("/m", "x"),
        { kind: "check", path: "/m", version: 1 },
        erase("/m/a"),
      ],
    });
    assert.equal(reply.kind, "multi");
    const results = "results" in reply ? reply.results : [];
    assert.deepEqual(
      results.map((result) => [result.kind, "path" in result ? result.path : undefined]),
      [
        ["create", "/m"],
        ["create2", "/m/a"],
        ["create2", "/m/c"],
        ["setData", undefined],
        ["check", undefined],
        ["delete", undefined],
      ],
    );
    assert.deepEqual([stat("/m").mzxid, stat("/m").pzxid, stat("/m").cversion], [zxid, zxid, 3]);
  });

  test("that fails leaves nothing behind: no znode, no counter, no watch fired, no quota counted", () => {
    const { stage, write, read } = begin();
    write(make("/q"));
    write(make("/q/x", { data: utf8Bytes("old") }));
    write(make("/q/e", { flags: 1 }));
    read({ kind: "getData", path: "/q/x", watch: true });
    stage.tree.takeEvents();
    const digest = stage.tree.digest();
    const acl: Acl[] = [{ permissions: 1, id: { scheme: "ip", id: "10.0.0.0/8" } }];
    assert.deepEqual(
      write({
        kind: "multi",
        operations: [
          make("/q/s-", { flags: 2, acl }),
          put("/q/x", "much longer than it was"),
          erase("/q/x"),
          make("/q/x"),
          make("/q/y", { flags: 1 }),
          erase("/q/e"),
          { kind: "check", path: "/nowhere", version: 0 },
          erase("/q"),
        ],
      }),
      {
        kind: "multi",
        results: [0, 0, 0, 0, 0, 0, ERRORS.noNode, ERRORS.runtimeInconsistency].map((error) => ({
          kind: "error",
          error,
        })),
      },
    );
    assert.equal(stage.tree.digest(), digest);
    assert.deepEqual(stage.tree.takeEvents(), []);
    assert.deepEqual(write(make("/q/s-", { flags: 2 })), { kind: "create", path: "/q/s-0000000002" });
    write({ kind: "closeSession" });
    assert.deepEqual(stage.tree.state.sessions.size, 0);
    assert.equal(stage.tree.state.nodes.find("/q/e"), -1);
  });

  test("of nothing does nothing", () => {
    const { write } = begin();
    assert.deepEqual(write({ kind: "multi", operations: [] }), { kind: "multi", results: [] });
  });
});

suite("quotas", () => {
  test("count what is below a path, and hold where they are enforced", () => {
    const { stage, write, text } = begin();
    for (const path of ["/app", "/app/old", "/zookeeper/quota/app"])
      write(make(path, { data: utf8Bytes("12") }));
    const limits = utf8Bytes("count=-1,bytes=-1=;byteHardLimit=10;countHardLimit=4");
    write(make("/zookeeper/quota/app/zookeeper_limits", { data: limits }));
    write(make("/zookeeper/quota/app/zookeeper_stats"));
    const stats = () => text("/zookeeper/quota/app/zookeeper_stats");
    assert.equal(stats(), "count=2,bytes=4");

    write(make("/app/a", { data: utf8Bytes("123") }));
    assert.equal(stats(), "count=3,bytes=7");
    write(put("/app/a", "1"));
    write(make("/apple"));
    assert.equal(stats(), "count=3,bytes=5");
    write(erase("/app/old"));
    assert.equal(stats(), "count=2,bytes=3");

    assert.equal(write(put("/app/a", "beyond ten bytes")).kind, "setData", "not enforced");
    stage.options = { ...stage.options, enforceQuota: true };
    assert.deepEqual(write(put("/app/a", "even further beyond ten bytes")), failure("quotaExceeded"));
    assert.equal(write(put("/app/a", "")).kind, "setData");
    write(make("/app/b"));
    write(make("/app/c"));
    assert.deepEqual(write(make("/app/d")), failure("quotaExceeded"));
    write(erase("/zookeeper/quota/app/zookeeper_limits"));
    assert.equal(write(make("/app/d")).kind, "create");
  });
});

test("a limit set by a multi that fails is no limit", () => {
  const { stage, write } = begin();
  stage.options = { ...stage.options, enforceQuota: true };
  write(make("/app"));
  write(make("/zookeeper/quota/app"));
  write(make("/zookeeper/quota/app/zookeeper_stats"));
  const limits = make("/zookeeper/quota/app/zookeeper_limits", { data: utf8Bytes("countHardLimit=2") });
  write({ kind: "multi", operations: [limits, erase("/none")] });
  assert.equal(write(make("/app/x")).kind, "create");
  write({ kind: "multi", operations: [limits] });
  write(make("/app/y"));
  assert.deepEqual(write(make("/app/z")), failure("quotaExceeded"));
  write({ kind: "multi", operations: [erase(limits.path), erase("/none")] });
  assert.deepEqual(write(make("/app/z")), failure("quotaExceeded"));
});

suite("znodes that go by themselves", () => {
  test("a container that had children and has none, a TTL node that nobody wrote to for long enough", () => {
    const { stage, write, stat } = begin();
    const perished = () => stage.tree.perished(stage.time as never, 100);
    stage.options = { ...stage.options, extendedTypes: true };
    write(make("/box", { kind: "createContainer", flags: 4 }));
    write(make("/ttl", { kind: "createTtl", flags: 5, ttl: 1000 }));
    assert.equal(stat("/box").ephemeralOwner, 0);
    assert.deepEqual(perished(), []);
    write(make("/box/x"));
    write(erase("/box/x"));
    assert.deepEqual(perished(), ["/box"]);
    stage.time += 1001;
    assert.deepEqual(perished(), ["/box", "/ttl"]);
    write(put("/ttl", "still here"));
    assert.deepEqual(perished(), ["/box"]);
    assert.deepEqual(write({ kind: "deleteContainer", path: "/ttl" }), failure("badVersion"));
    assert.deepEqual(write({ kind: "deleteContainer", path: "/box" }), { kind: "done" });
    assert.deepEqual(perished(), []);
  });
});

suite("counting", () => {
  test("getAllChildrenNumber counts the whole subtree, however deep", () => {
    const { write, read } = begin();
    let path = "";
    for (let depth = 0; depth < 3000; depth++) write(make((path += "/d")));
    const count = (of: string) => read({ kind: "getAllChildrenNumber", path: of });
    assert.deepEqual(count("/d"), { kind: "getAllChildrenNumber", count: 2999 });
    assert.deepEqual(count("/"), { kind: "getAllChildrenNumber", count: 3003 });
    assert.deepEqual(count("/none"), failure("noNode"));
  });
});
