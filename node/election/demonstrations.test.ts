// lane: works, 3 s
//
// What the lectures show on a running ensemble, for every election of the catalog: the
// leader dies; too many die; two data centers are cut apart, and meet again. A server that loses its leader
// asks again, as its service would.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ensemble, type ServerId } from "../core/identity.ts";
import { milliseconds as ms } from "../core/time.ts";
import { ids, outcomeOf } from "../testing/election/peer-cast.ts";
import { epoch } from "../core/zxid.ts";
import { Rehearsal } from "../testing/election/rehearsal.ts";
import { scripted } from "../testing/election/scripted-judge.ts";
import { contradictions, HARD } from "./assumptions.ts";
import { elections, type ElectionName, entryOf, valuesOf } from "./catalog.ts";

/** Ten milliseconds apart; the greater the id, the better. */
function cast(name: ElectionName, size: number): Rehearsal<unknown> {
  const servers = ensemble(Array.from({ length: size }, (_, index) => index + 1));
  const options = valuesOf({ name });
  return new Rehearsal<unknown>({
    say: () => "",
    servers,
    delay: () => ms(10),
    enter: (self) =>
      entryOf(name).create({ self, servers, judge: scripted({ score: self }), mutant: null }, options),
  });
}

const [A, B, C] = ids(1, 2, 3) as [ServerId, ServerId, ServerId];
const [p4, p5] = ids(4, 5) as [ServerId, ServerId];

/** Who assumes that nothing worse happens than what the lectures leave out need not do what they show. */
const HARDENED = (Object.keys(elections) as ElectionName[]).filter(
  (name) => contradictions(name, entryOf(name).assumes, HARD).length === 0,
);

for (const name of HARDENED) {
  suite(name, () => {
    test("of A, B and C the leader dies: one of the other two leads both", () => {
      const play = cast(name, 3).start(ms(0), A, B, C).play(ms(5000));
      const [first] = play.elected.values();
      assert.ok(first !== undefined && play.elected.size === 3);
      play.crash(ms(6000), first.leader).play(ms(30_000));
      const leaders = new Set([...play.elected.values()].map(({ leader }) => leader));
      assert.equal(leaders.size, 1);
      assert.ok(!leaders.has(first.leader));
      assert.equal(play.elected.size, 2);
    });

    test("of A, B and C two die: the third elects nobody, however long it asks", () => {
      const play = cast(name, 3).start(ms(0), A, B, C).play(ms(5000));
      play.crash(ms(6000), A).crash(ms(6000), B).play(ms(100_000));
      assert.ok((play.elected.get(C)?.at ?? 0) < ms(6000));
      const alone = cast(name, 3).start(ms(0), C).play(ms(60_000));
      assert.deepEqual(outcomeOf(alone), []);
    });

    test("two data centers are cut apart: one has a leader, the other none; then both have one", () => {
      const play = cast(name, 5).start(ms(0), A, B, C, p4, p5).play(ms(5000));
      play.cut(ms(6000), [A, B, C], [p4, p5]).elect(ms(6100), p4, p5).play(ms(30_000));
      const [ledBy] = new Set([A, B, C].map((server) => play.elected.get(server)?.leader));
      assert.ok(ledBy !== undefined && [A, B, C].includes(ledBy));
      for (const server of [A, B, C]) assert.equal(play.elected.get(server)?.leader, ledBy);
      for (const server of [p4, p5]) assert.ok((play.elected.get(server)?.at ?? 0) < ms(6000));
      play.serve(ms(29_000), ledBy, epoch(2));
      play.mend(ms(30_000), [A, B, C], [p4, p5]).elect(ms(31_000), p4, p5).play(ms(100_000));
      assert.deepEqual(
        outcomeOf(play),
        ids(1, 2, 3, 4, 5).map((server) => `p${server}: p${ledBy}`),
      );
    });
  });
}
