// lane: works, 8 s
// What people and other programs do to a priority election: wishes that nobody can fulfil, znodes that are
// spoilt, missing or forbidden, strategies that fail. Nobody leads by mistake, nothing hangs, and it is told
// who is concerned, which path, and what to do.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { memberId } from "#node/core/identity.ts";
import { milliseconds as ms, seconds } from "#node/core/time.ts";
import { describedAs, NOBODY, printed } from "#node/election/priority/layout.ts";
import { firstId, type Strategy } from "#node/election/priority/strategy.ts";
import { PriorityWorld } from "#node/testing/election/priority/priority-world.ts";
import { OPEN, PERMISSION } from "#node/wire/client/acl.ts";
import { judgeLeadership } from "./leadership.ts";

const [p1, p2, p3] = [memberId(1), memberId(2), memberId(3)];

/** Who came first elects who came last, so that elector and leader are two. */
const lastId: Strategy = {
  preempts: false,
  choose: ({ candidates }) => candidates.at(-1)?.member ?? "",
};

/** All have come, and p3 leads. */
function world(): PriorityWorld {
  const play = new PriorityWorld({ members: 3, options: () => ({ strategy: lastId }), pace: ms(50) });
  for (const prefer of [["p3"], []]) {
    play.wish({ prefer });
    play.pass(seconds(1));
  }
  return play;
}

const isRight = (play: PriorityWorld): void => assert.deepEqual(judgeLeadership(play.history), []);

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

suite("what people and other programs do", () => {
  test("who cannot take over says so, and the next does at once", () => {
    const play = world();
    play.works(p2, { takesOver: "fails" });
    play.resign(p3);
    play.pass(seconds(1));
    assert.deepEqual(play.acting, ["p1"]);
    isRight(play);
  });

  test("all are excluded: nobody leads and it is said; one is not any more, and leads", () => {
    const play = world();
    play.wish({ exclude: ["p1", "p2"], maintain: ["site-3"] });
    play.pass(seconds(2));
    assert.deepEqual(play.acting, []);
    assert.match(
      play.factsOf(p1).join("\n"),
      /finds nobody to lead.*policy.*none of p1, p2, p3 may lead.*take back/,
    );
    play.wish({ exclude: ["p1"], maintain: ["site-3"] });
    play.pass(seconds(1));
    assert.deepEqual(play.acting, ["p2"]);
    isRight(play);
  });

  test("a site is raised for maintenance: its member leads without a failure", () => {
    const play = world();
    play.wish({ prefer: ["site-1"] });
    play.pass(seconds(1));
    assert.deepEqual(play.acting, ["p1"]);
    isRight(play);
  });

  test("another program spoils `elected`: nobody leads, it is told where, and mended", () => {
    const play = world();
    const write = (text: string): void =>
      play.operate({
        kind: "setData",
        path: play.layout.elected,
        data: new TextEncoder().encode(text),
        version: -1,
      });
    write("hello");
    play.pass(seconds(1));
    assert.deepEqual(play.acting, []);
    assert.match(
      play.factsOf(p1).at(-1) ?? "",
      /is spoilt.*leader\/elected.*set it to .*and never delete it/,
    );
    write(new TextDecoder().decode(printed(NOBODY)));
    play.pass(seconds(1));
    assert.deepEqual(play.acting, ["p3"]);
  });

  test("`elected` is deleted: nobody leads, nobody asks again and again, and it is told what to do", () => {
    const play = world();
    const path = play.layout.elected;
    play.operate({ kind: "delete", path, version: -1 });
    play.pass(seconds(1));
    const before = play.writes;
    play.pass(seconds(3));
    assert.ok(play.writes - before < 10, `${play.writes - before} writes in three seconds`);
    assert.deepEqual(play.acting, []);
    assert.match(play.factsOf(p1).at(-1) ?? "", /is spoilt.*leader\/elected.*it was deleted: create it as/);
    const data = printed(NOBODY);
    play.operate({ kind: "create", path, data, acl: OPEN, flags: 0, ttl: -1 });
    play.pass(ms(100));
    assert.match(play.factsOf(p1).at(-1) ?? "", /made anew and terms would fall: set it again/);
    for (let time = 0; time < 5; time++) play.operate({ kind: "setData", path, data, version: -1 });
    play.pass(seconds(2));
    assert.deepEqual(play.acting, ["p3"]);
  });

  test("what the last leader left is spoilt: the next elector tells, and goes on when it is mended", () => {
    const play = world();
    const path = play.layout.last;
    play.operate({ kind: "setData", path, data: bytes("?"), version: -1 });
    play.kill(p1);
    play.pass(seconds(7));
    play.resign(p3);
    play.pass(seconds(1));
    assert.deepEqual(play.acting, []);
    assert.match(play.factsOf(p2).at(-1) ?? "", /is spoilt.*leader\/last.*delete it/);
    play.operate({ kind: "delete", path, version: -1 });
    play.pass(seconds(3));
    assert.deepEqual(play.acting, ["p2"]);
  });

  test("what the last leader left is deleted: the next makes it anew", () => {
    const play = world();
    play.operate({ kind: "delete", path: play.layout.last, version: -1 });
    play.resign(p3);
    play.pass(seconds(2));
    assert.deepEqual(play.acting, ["p2"]);
    isRight(play);
  });

  test("a strategy that throws, or names somebody who is not there, is told, and a leader stays", () => {
    for (const [choose, told] of [
      [
        () => assert.fail("no idea"),
        /has a strategy that fails.*leader\/elected.*no idea.*mend the strategy/,
      ],
      [() => "p9", /finds nobody to lead.*names p9.*it must name one of p1, p2, p3/],
      [() => "", /finds nobody to lead.*names nobody/],
    ] as const) {
      const play = new PriorityWorld({
        members: 3,
        options: () => ({ strategy: { preempts: true, choose } }),
      });
      assert.deepEqual(play.acting, []);
      assert.match(play.factsOf(p1).join("\n"), told);
    }
  });

  test("somebody deletes the znode of a leader: it stops, and stands again", () => {
    const play = new PriorityWorld({ members: 3, options: () => ({ strategy: firstId }) });
    const standing = play.history.find((each) => each.kind === "stands");
    assert.ok(standing?.kind === "stands");
    const path = `${play.layout.election}/${standing.member}`;
    play.operate({ kind: "delete", path, version: -1 });
    play.pass(seconds(6));
    assert.equal(play.acting.length, 1);
    isRight(play);
  });

  test("children of other programs do not stand, and may be anything", () => {
    const play = world();
    const create = (path: string): void =>
      play.operate({ kind: "create", path, data: bytes("?"), acl: OPEN, flags: 0, ttl: -1 });
    for (const name of ["readme", "x-0000000000", "_c_7-latch-0000000007"]) {
      create(`${play.layout.election}/${name}`);
      create(`${play.layout.nodes}/${name}`);
    }
    play.pass(seconds(1));
    assert.deepEqual(play.acting, ["p3"]);
    play.resign(p3);
    play.pass(seconds(2));
    assert.deepEqual(play.acting, ["p2"]);
    isRight(play);
  });

  test("a member whose description is missing or is not one cannot be chosen; the others are", () => {
    for (const spoil of ["delete", "setData"] as const) {
      const play = world();
      const standing = play.history.findLast(
        (each) => each.kind === "stands" && each.member.startsWith("p2"),
      );
      assert.ok(standing?.kind === "stands");
      const path = `${play.layout.nodes}/${describedAs(standing.member)}`;
      play.operate(
        spoil === "delete"
          ? { kind: "delete", path, version: -1 }
          : { kind: "setData", path, data: bytes("a lot"), version: -1 },
      );
      // Somebody else elects then, and reads what stands there.
      play.kill(p1);
      play.start(p1);
      play.pass(seconds(7));
      play.resign(p3);
      play.pass(seconds(7));
      assert.deepEqual(play.acting, ["p1"], spoil);
      isRight(play);
    }
  });

  test("`current` is spoilt: its owner stops, nobody leads over it, and it is told which path", () => {
    const play = world();
    play.operate({ kind: "setData", path: play.layout.current, data: bytes("mine"), version: -1 });
    play.pass(seconds(3));
    assert.deepEqual(play.acting, []);
    assert.match(play.factsOf(p1).join("\n"), /is spoilt.*leader\/current.*wrote there: delete it/);
    play.operate({ kind: "delete", path: play.layout.current, version: -1 });
    play.pass(seconds(8));
    assert.equal(play.acting.length, 1);
  });

  test("an ACL forbids to write: it is told where, and a member that is allowed to goes on", () => {
    const play = world();
    play.operate({
      kind: "setAcl",
      path: play.layout.leader,
      acl: [{ permissions: PERMISSION.read, id: { scheme: "world", id: "anyone" } }],
      version: -1,
    });
    play.resign(p3);
    play.pass(seconds(3));
    assert.deepEqual(play.acting, []);
    assert.match(play.factsOf(p2).join("\n"), /is refused.*noAuth.*\/leader.*widen the ACL/);
  });

  test("nobody is at the site that people want: the others stay in question", () => {
    const play = world();
    play.wish({ prefer: ["atlantis", "p9"] });
    play.pass(seconds(1));
    assert.deepEqual(play.acting, ["p3"]);
    play.resign(p3);
    play.pass(seconds(2));
    assert.deepEqual(play.acting, ["p2"]);
    isRight(play);
  });
});
