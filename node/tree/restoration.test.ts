// Bytes that should be a snapshot and are not: told as a fault, with the state in use as it was. What is
// taken in spite of a change is a state that serves, whatever is then done to it.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import type { Zxid } from "../core/zxid.ts";
import { type Acl, OPEN, writeAcl } from "../wire/client/acl.ts";
import { JuteWriter } from "../wire/client/jute.ts";
import { RECORD, TIMELESS_VERSION } from "./snapshot.ts";
import { erase, make, put, SEAL, Stage } from "../testing/tree/stage.ts";
import { Tree } from "./tree.ts";

const SOME: Acl[] = [{ permissions: 31, id: { scheme: "ip", id: "10.0.0.0/8" } }];

/** A tree with something of every kind, and its snapshot in one piece. */
function original(): { readonly zxid: Zxid; readonly bytes: Uint8Array } {
  const stage = new Stage();
  stage.options = { ...stage.options, extendedTypes: true, enforceQuota: true };
  const session = stage.open();
  stage.write(make("/a", { acl: SOME }), session);
  stage.write(make("/a/e", { flags: 1 }), session);
  stage.write({ ...make("/c"), kind: "createContainer", flags: 4 }, session);
  stage.write({ ...make("/t"), kind: "createTtl", flags: 5, ttl: 1000 }, session);
  stage.write(put("/a", "some data"), session);
  const snapshot = stage.tree.snapshot();
  const bytes = snapshot.next();
  assert.ok(bytes !== null && snapshot.next() === null);
  return { zxid: stage.tree.applied, bytes };
}

/** What is wrong with the bytes, read in pieces of this size; null when they were taken. */
function faultOf(tree: Tree, zxid: Zxid, bytes: Uint8Array, piece = bytes.length): string | null {
  const restoration = tree.restore(zxid);
  for (let at = 0; at < bytes.length; at += piece) {
    const fault = restoration.accept(bytes.subarray(at, at + piece));
    if (fault !== null) return fault;
  }
  return restoration.finish();
}

/** Every session ends, every znode is looked at, written to and removed: nothing of it may throw. */
function exhaust(tree: Tree): void {
  const stage = new Stage(tree);
  stage.options = { ...stage.options, extendedTypes: true, enforceQuota: true };
  const session = stage.open();
  stage.ids.set(session, [{ scheme: "super", id: "" }]);
  const { nodes, sessions } = tree.state;
  const paths = [...nodes.subtree(nodes.find("/"))].map((row) => nodes.path(row));
  assert.equal(paths.length, nodes.size, "all that was read hangs together");
  for (const path of paths) {
    for (const kind of ["exists", "getData", "getChildren2"] as const) {
      stage.read({ kind, path, watch: true }, session);
    }
    stage.read({ kind: "getAcl", path }, session);
    stage.write(put(path, "new"), session);
    stage.write(make(`${path === "/" ? "" : path}/below`), session);
    stage.write({ kind: "setAcl", path, acl: OPEN, version: -1 }, session);
  }
  assert.equal(copyOf(tree).digest(), tree.digest());
  for (const { id } of sessions.all()) if (id !== session) stage.write({ kind: "closeSession" }, id);
  for (const path of paths.toSorted((one, other) => other.length - one.length)) {
    stage.write(erase(`${path === "/" ? "" : path}/below`), session);
    stage.write(erase(path), session);
  }
  tree.digest();
}

function copyOf(tree: Tree): Tree {
  const [snapshot, copy] = [tree.snapshot(), new Tree()];
  const restoration = copy.restore(tree.applied);
  for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next()) {
    assert.equal(restoration.accept(chunk), null);
  }
  assert.equal(restoration.finish(), null);
  assert.equal(copy.time, tree.time);
  return copy;
}

const record = (kind: number, body = new JuteWriter()): Uint8Array => {
  const bytes = body.finish();
  return new JuteWriter()
    .int(1 + bytes.length)
    .byte(kind)
    .raw(bytes)
    .finish();
};

const begin = (zxid: number, sessions: number, acls: number, znodes: number): Uint8Array =>
  record(RECORD.begin, new JuteWriter().int(TIMELESS_VERSION).long(zxid).int(sessions).int(acls).int(znodes));

const session = (id: number, timeoutMs: number, server: number, seal = SEAL): Uint8Array =>
  record(RECORD.session, new JuteWriter().long(id).int(timeoutMs).ustring(seal).int(server));

const acl = (number: number, id = "10.0.0.0/8"): Uint8Array =>
  record(
    RECORD.acl,
    new JuteWriter().int(number).vector([{ permissions: 31, id: { scheme: "ip", id } }], writeAcl),
  );

function znode(path: string, { owner = 0, number = 0, data = new Uint8Array(0) } = {}): Uint8Array {
  const body = new JuteWriter().ustring(path).buffer(data).int(number).long(owner);
  return record(RECORD.znode, body.long(1).long(1).long(1).long(1).long(1).int(0).int(0).int(0));
}

const RESERVED = ["/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"].map((path) => znode(path));
const END = record(RECORD.end);
const together = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

suite("bytes that should be a snapshot", () => {
  const refused: readonly (readonly [Uint8Array, RegExp])[] = [
    [together(), /cut off/],
    [together(END), /a beginning where none belongs/],
    [together(begin(7, 0, 0, 4), begin(7, 0, 0, 4)), /a beginning where none belongs/],
    [begin(8, 0, 0, 0), /another zxid/],
    [together(begin(7, 0, 0, 4), ...RESERVED, END, END), /after the end/],
    [together(begin(7, 0, 0, 5), ...RESERVED, END), /4 znodes, where 5 were announced/],
    [together(begin(7, 0, 0, 3), ...RESERVED.slice(1), END), /no \//],
    [together(begin(7, 0, 0, 5), ...RESERVED, znode("/"), END), /a znode at "\/"/],
    [together(begin(7, 0, 0, 5), ...RESERVED, znode(""), END), /a znode at ""/],
    [together(begin(7, 0, 0, 5), ...RESERVED, znode("/a/b"), END), /not what it is below/],
    [together(begin(7, 0, 0, 5), ...RESERVED, znode("/a", { number: 9 }), END), /an ACL of number 9/],
    [together(begin(7, 0, 0, 5), ...RESERVED, znode("/a", { owner: 5 }), END), /an owner 5/],
    [together(begin(7, 1, 0, 4), session(5, 1000, 1), session(5, 1000, 1)), /a session 5/],
    [together(begin(7, 1, 0, 4), session(5, 1000, 0)), /a session 5 of 1000 ms at 0/],
    [together(begin(7, 1, 0, 4), session(5, 1000, 1, "")), /a session 5/],
    [together(begin(7, 0, 2, 4), acl(1), acl(1)), /an ACL of number 1/],
    [together(begin(7, 0, 2, 4), acl(-1)), /an ACL of number -1/],
    [together(begin(7, 0, 0, 4), record(9)), /of kind 9/],
    [together(begin(7, 0, 0, 4), record(RECORD.end, new JuteWriter().int(1))), /of a wrong length/],
    [Uint8Array.of(0x7f, 0xff, 0xff, 0xff), /a record of 2147483647 bytes/],
    [Uint8Array.of(0, 0, 0, 0), /a record of 0 bytes/],
    [
      together(
        begin(7, 1, 0, 6),
        session(5, 1000, 1),
        ...RESERVED,
        znode("/e", { owner: 5 }),
        znode("/e/below"),
        END,
      ),
      /below an ephemeral/,
    ],
  ];
  for (const [bytes, reason] of refused) {
    test(`${reason.source} is refused, and the state is what it was`, () => {
      const { tree } = new Stage();
      const digest = tree.digest();
      assert.match(faultOf(tree, 7 as Zxid, bytes) ?? "taken", reason);
      assert.equal(tree.digest(), digest);
      assert.deepEqual(tree.takeEvents(), []);
    });
  }

  test("the least that is one is taken", () => {
    const bytes = together(begin(7, 0, 0, 4), ...RESERVED, END);
    const tree = new Tree();
    assert.equal(faultOf(tree, 7 as Zxid, bytes, 3), null);
    exhaust(tree);
  });

  test("with ACLs of any numbers are taken, and the numbers are not", () => {
    const numbers = [2 ** 31 - 1, 7, 1_000_000];
    const acls = numbers.map((number) => acl(number, `10.0.0.${number % 256}`));
    const znodes = numbers.map((number) => znode(`/${number}`, { number }));
    const bytes = together(begin(7, 0, 3, 7), ...acls, ...RESERVED, ...znodes, END);
    const tree = new Tree();
    assert.equal(faultOf(tree, 7 as Zxid, bytes), null);
    const stage = new Stage(tree);
    stage.ids.set(5, [{ scheme: "super", id: "" }]);
    for (const number of numbers) {
      const shown = stage.expect("getAcl", { kind: "getAcl", path: `/${number}` }, 5);
      assert.equal(shown.acl[0]?.id.id, `10.0.0.${number % 256}`);
    }
    assert.ok([...tree.state.acls.all()].every(([number]) => number <= 3));
    exhaust(tree);
  });

  test("cut off anywhere, they are refused", () => {
    const { zxid, bytes } = original();
    assert.equal(faultOf(new Tree(), zxid, bytes), null);
    for (let length = 0; length < bytes.length; length++) {
      assert.notEqual(faultOf(new Tree(), zxid, bytes.subarray(0, length)), null, `${length} bytes`);
    }
  });

  test("with any byte changed, they are refused or serve", () => {
    const { zxid, bytes } = original();
    const counts = { refused: 0, taken: 0 };
    for (let at = 0; at < bytes.length; at++) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const changed = bytes.slice();
        changed[at] = (changed[at] as number) ^ mask;
        const tree = new Tree();
        const taken = faultOf(tree, zxid, changed, 100) === null;
        counts[taken ? "taken" : "refused"] += 1;
        if (taken) exhaust(tree);
      }
    }
    assert.ok(counts.refused > 100 && counts.taken > 100, JSON.stringify(counts));
  });

  test("put together of any records, they are refused or serve", () => {
    const path = fc.constantFrom("/", "/a", "/a/b", "/zookeeper", "/zookeeper/quota/a/zookeeper_stats");
    const numbers = { owner: fc.constantFrom(0, 5, -1, -1000), number: fc.constantFrom(0, 1, 2) };
    const any = fc.oneof(
      fc.constantFrom(session(5, 1000, 1), acl(0), acl(1), acl(2), znode("/zookeeper/quota/a"), END),
      fc.tuple(path, fc.record({ ...numbers, data: fc.uint8Array() })).map(([at, rest]) => znode(at, rest)),
      fc
        .tuple(fc.integer({ min: 0, max: 6 }), fc.uint8Array())
        .map(([kind, body]) => record(kind, new JuteWriter().raw(body))),
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 8 }), (records) => {
        const count = (kind: number): number => records.filter((bytes) => bytes[4] === kind).length;
        const first = begin(7, count(RECORD.session), count(RECORD.acl), 4 + count(RECORD.znode));
        const tree = new Tree();
        if (faultOf(tree, 7 as Zxid, together(first, ...RESERVED, ...records, END)) === null) exhaust(tree);
      }),
      { numRuns: 3000 },
    );
  });
});
