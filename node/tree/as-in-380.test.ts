/** Where ZooKeeper 3.8.0 answers otherwise than its later releases, and one may choose. */

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { failure, make, Stage } from "../testing/tree/stage.ts";
import { type Acl, PERMISSION } from "../wire/client/acl.ts";
import { DEFAULTS, payloadOf, readPayload } from "./payload.ts";

const UNREADABLE: readonly Acl[] = [
  { permissions: PERMISSION.all & ~PERMISSION.read, id: { scheme: "world", id: "anyone" } },
];

function begin(asIn380: boolean) {
  const stage = new Stage();
  stage.options = { ...DEFAULTS, asIn380 };
  const session = stage.open();
  const exists = (path: string) => stage.read({ kind: "exists", path, watch: true }, session);
  const write = (request: Parameters<Stage["write"]>[0]) => stage.write(request, session);
  return { stage, exists, write };
}

suite("does a znode exist that one may not read?", () => {
  test("from 3.8.4 on that is refused, and leaves no watch; in 3.8.0 it is answered", () => {
    for (const asIn380 of [false, true]) {
      const { stage, exists, write } = begin(asIn380);
      write(make("/secret", { acl: UNREADABLE }));
      const answer = exists("/secret");
      if (asIn380) assert.equal(answer.kind, "exists");
      else assert.deepEqual(answer, failure("noAuth"));
      assert.equal(stage.tree.watches.counts.watches, asIn380 ? 1 : 0);
      assert.deepEqual(
        stage.read({ kind: "getData", path: "/secret", watch: false }, 1),
        failure("noAuth"),
        "what it holds is told to nobody",
      );
    }
  });

  test("its own permission counts, and not its parent's; where nothing is, none is asked for", () => {
    const { stage, exists, write } = begin(false);
    write(make("/secret", { acl: UNREADABLE }));
    write(make("/secret/open"));
    assert.equal(exists("/secret/open").kind, "exists");
    assert.deepEqual(exists("/secret/none"), failure("noNode"));
    assert.equal(stage.tree.watches.counts.watches, 2);
  });
});

test("what was missed of watches set again is told with the ACL that guards it, and in 3.8.0 without", () => {
  for (const asIn380 of [false, true]) {
    const { stage, write } = begin(asIn380);
    write(make("/secret", { acl: UNREADABLE }));
    stage.tree.takeEvents();
    const none = { data: [], child: [], persistent: [], recursive: [] };
    stage.read({ kind: "setWatches", relativeZxid: 0, exist: ["/secret"], ...none }, 1);
    const acls = stage.tree.takeEvents().map((event) => (event.kind === "watch" ? event.acl : "another"));
    assert.deepEqual(acls, [asIn380 ? null : UNREADABLE]);
  }
});

test("create2 within a multi is answered with a stat from 3.8.3 on, and as create in 3.8.0", () => {
  for (const asIn380 of [false, true]) {
    const { write } = begin(asIn380);
    const operations = [
      make("/m", { kind: "create2" }),
      make("/m/c", { kind: "createContainer", flags: 4 }),
      make("/m/a"),
    ];
    const reply = write({ kind: "multi", operations });
    const results = reply.kind === "multi" ? reply.results : [];
    assert.deepEqual(
      results.map(({ kind }) => kind),
      asIn380 ? ["create", "create2", "create"] : ["create2", "create2", "create"],
    );
    assert.deepEqual(
      results.map((result) => ("path" in result ? result.path : null)),
      ["/m", "/m/c", "/m/a"],
    );
  }
});

test("the choice travels with a request, and what was logged before there was one is none", () => {
  const caller = (asIn380: boolean) => ({ session: 1, xid: 1, ids: [], options: { ...DEFAULTS, asIn380 } });
  const read = (asIn380: boolean) => readPayload(payloadOf(make("/a"), caller(asIn380)));
  assert.deepEqual(
    [read(true), read(false)].map((each) => each?.caller.options.asIn380),
    [true, false],
  );
  const [before, after] = [false, true].map((each) => payloadOf(make("/a"), caller(each)));
  assert.ok(before !== undefined && after !== undefined);
  const differing = [...before.keys()].filter((at) => before[at] !== after[at]);
  assert.deepEqual(
    differing.map((at) => [before[at], after[at]]),
    [[4, 12]],
    "one bit of the options",
  );
});
