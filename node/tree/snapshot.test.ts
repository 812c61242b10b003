// A snapshot is the state at its zxid although the state goes on changing, and a failed multi leaves no
// trace: both shown on random histories. Failing runs print the commands that lead there.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { type Acl, OPEN } from "../wire/client/acl.ts";
import type { Create } from "../wire/client/create.ts";
import type { MultiOperation } from "../wire/client/multi.ts";
import type { Outcome } from "./payload.ts";
import { timeOfDay } from "../core/time.ts";
import { make, Stage } from "../testing/tree/stage.ts";
import { LARGEST_RECORD } from "./snapshot.ts";
import { Tree } from "./tree.ts";

const ACLS: (readonly Acl[])[] = ["10.0.0.0/8", "127.0.0.0/8", "0.0.0.0/0"].map((id) => [
  { permissions: 31, id: { scheme: "ip", id } },
]);

const name = fc.constantFrom("a", "b", "c");
const path = fc.oneof(
  { arbitrary: name.map((only) => `/${only}`), weight: 2 },
  { arbitrary: fc.tuple(name, name, name).map((names) => `/${names.join("/")}`), weight: 1 },
  { arbitrary: fc.tuple(name, name).map((names) => `/${names.join("/")}`), weight: 1 },
);
// Sizes on both sides of every kind of slot, and beyond a chunk.
const size = fc.constantFrom(0, 1, 16, 17, 128, 129, 4000, 16_384, 16_385, 150_000);
const bytes = fc.option(
  fc.tuple(size, fc.nat(255)).map(([length, value]) => new Uint8Array(length).fill(value)),
);
const version = fc.constantFrom(-1, -1, 0, 1);

const create: fc.Arbitrary<Create> = fc.record({
  kind: fc.constantFrom("create", "create2", "createContainer"),
  path,
  data: bytes,
  acl: fc.constantFrom(OPEN, ...ACLS),
  flags: fc.constantFrom(0, 0, 1, 2, 3),
  ttl: fc.constant(-1),
});
const operation: fc.Arbitrary<MultiOperation> = fc.oneof(
  { arbitrary: create, weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant("setData" as const), path, data: bytes, version }), weight: 3 },
  {
    arbitrary: fc.record({ kind: fc.constantFrom("delete" as const, "check" as const), path, version }),
    weight: 3,
  },
);
const sequential: fc.Arbitrary<MultiOperation> = create.map((each) => ({ ...each, path: "/s", flags: 2 }));
const request = fc.oneof(
  { arbitrary: operation, weight: 8 },
  {
    arbitrary: fc.record({
      kind: fc.constant("setAcl" as const),
      path,
      acl: fc.constantFrom(OPEN, ...ACLS),
      version,
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("multi" as const),
      operations: fc.array(operation, { maxLength: 5 }),
    }),
    weight: 2,
  },
  { arbitrary: fc.constant({ kind: "closeSession" as const }), weight: 1 },
);

type Command = typeof request extends fc.Arbitrary<infer T> ? T : never;

/** Three sessions take turns; one that ended begins anew. */
class Players {
  readonly stage: Stage;
  readonly sessions: number[];
  #turn = 0;

  constructor(stage = new Stage(), sessions = [stage.open(), stage.open(), stage.open()]) {
    this.stage = stage;
    this.sessions = sessions;
  }

  play(next: Command): Outcome {
    const seat = this.#turn++ % 3;
    const outcome = this.stage.write(next, this.sessions[seat] as number);
    if (next.kind === "closeSession") this.sessions[seat] = this.stage.open();
    return outcome;
  }
}

function chunksOf(tree: Tree): Uint8Array[] {
  const snapshot = tree.snapshot();
  const chunks: Uint8Array[] = [];
  for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next()) chunks.push(chunk);
  return chunks;
}

/** Everything there is to know of a tree, the contents read anew and not from what the digest remembers. */
function whole(tree: Tree) {
  const { nodes, acls, sessions } = tree.state;
  return {
    digest: tree.digest(),
    contents: restored(tree.applied, chunksOf(tree)).digest(),
    paths: [...nodes.subtree(nodes.find("/"))].map((row) => nodes.path(row)),
    bytes: nodes.bytes,
    acls: [...acls.all()].length,
    perishable: tree.perished(timeOfDay(Number.MAX_SAFE_INTEGER), nodes.size).sort(),
    ephemerals: [...sessions.all()].map(({ ephemerals }) => [...ephemerals].sort()),
  };
}

function restored(zxid: Tree["applied"], chunks: readonly Uint8Array[]): Tree {
  const tree = new Tree();
  const restoration = tree.restore(zxid);
  for (const chunk of chunks) restoration.accept(chunk);
  restoration.finish();
  return tree;
}

suite("a snapshot", () => {
  test("is the state after its zxid, whatever happens while it and another one are read", () => {
    const history = fc.array(request, { maxLength: 60 });
    fc.assert(
      fc.property(history, fc.array(fc.tuple(request, fc.nat(2)), { maxLength: 60 }), (before, during) => {
        const players = new Players();
        const { tree } = players.stage;
        for (const next of before) players.play(next);
        const open = [{ snapshot: tree.snapshot(), digest: tree.digest(), chunks: [] as Uint8Array[] }];
        during.forEach(([next, reads], index) => {
          players.play(next);
          if (index === 20) open.push({ snapshot: tree.snapshot(), digest: tree.digest(), chunks: [] });
          for (const { snapshot, chunks } of open) {
            for (let read = 0; read < reads; read++) {
              const chunk = snapshot.next();
              if (chunk !== null) chunks.push(chunk);
            }
          }
        });
        for (const { snapshot, digest, chunks } of open) {
          for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next()) chunks.push(chunk);
          assert.ok(chunks.every(({ length }) => length <= 64 * 1024));
          assert.equal(restored(snapshot.zxid, chunks).digest(), digest);
        }
        assert.equal(tree.state.nodes.observers.size, 0);
      }),
      { numRuns: 200 },
    );
  });

  test("gives a tree that goes on like the one it was taken of", () => {
    fc.assert(
      fc.property(
        fc.array(request, { maxLength: 40 }),
        fc.array(request, { maxLength: 40 }),
        (before, after) => {
          const players = new Players();
          for (const next of before) players.play(next);
          const { tree } = players.stage;
          const twin = new Stage(restored(tree.applied, chunksOf(tree)));
          const one = new Players(players.stage, [...players.sessions]);
          const other = new Players(twin, [...players.sessions]);
          for (const next of after) {
            assert.deepEqual(other.play(next), one.play(next));
            assert.equal(twin.tree.digest(), tree.digest());
          }
          const [mine, its] = [whole(tree), whole(twin.tree)];
          // In which order children are listed depends on when they came to this server.
          assert.deepEqual({ ...its, paths: its.paths.sort() }, { ...mine, paths: mine.paths.sort() });
        },
      ),
      { numRuns: 200 },
    );
  });

  test("has few numbers for few ACLs, whatever came and went, also after many a restart", () => {
    let stage = new Stage();
    let session = stage.open();
    stage.write(make("/a"), session);
    for (let number = 0; number < 1000; number++) {
      const acl = [{ permissions: 31, id: { scheme: "digest", id: `${number}:x` } }, ...OPEN];
      assert.equal(stage.write({ kind: "setAcl", path: "/a", acl, version: -1 }, session).kind, "setAcl");
      if (number % 100 !== 0) continue;
      stage = new Stage(restored(stage.tree.applied, chunksOf(stage.tree)));
      session = stage.open();
    }
    const numbers = [...stage.tree.state.acls.all()].map(([number]) => number);
    assert.equal(numbers.length, 3);
    assert.ok(numbers.every((number) => number <= 3));
  });

  test("with a record that nobody would read is not written", () => {
    const { tree } = new Stage();
    const id = { scheme: "digest", id: "x".repeat(LARGEST_RECORD) };
    tree.state.acls.take([{ permissions: 31, id }]);
    assert.throws(() => chunksOf(tree), /a record of \d+ bytes, which nobody would read/);
  });

  test("that was given up costs the tree nothing more", () => {
    const { tree } = new Stage();
    const snapshot = tree.snapshot();
    snapshot.next();
    snapshot.close();
    assert.equal(tree.state.nodes.observers.size, 0);
  });
});

suite("a multi", () => {
  test("does all of its operations, or leaves no trace", () => {
    const before = fc.array(request, { maxLength: 30 });
    const together = fc.array(fc.oneof(sequential, operation), { minLength: 1, maxLength: 5 });
    const sums = { done: 0, failed: 0 };
    fc.assert(
      fc.property(before, together, before, (earlier, operations, later) => {
        const [one, other] = [new Players(), new Players()];
        for (const next of earlier) for (const players of [one, other]) players.play(next);
        const untouched = whole(one.stage.tree);
        const session = one.sessions[0] as number;
        const reply = one.stage.write({ kind: "multi", operations }, session);
        assert.equal(reply.kind, "multi");
        const failed = "results" in reply && reply.results.some(({ kind }) => kind === "error");
        sums[failed ? "failed" : "done"] += 1;
        if (!failed) return;
        assert.deepEqual(whole(one.stage.tree), untouched);
        other.stage.write({ kind: "check", path: "/", version: 99 }, session);
        for (const next of later) for (const players of [one, other]) players.play(next);
        assert.deepEqual(whole(one.stage.tree), whole(other.stage.tree));
      }),
      { numRuns: 500 },
    );
    assert.ok(sums.done > 20 && sums.failed > 20, JSON.stringify(sums));
  });
});
