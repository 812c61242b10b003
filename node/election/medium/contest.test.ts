// What every election of a ring has around its rules: a key stands for its whole round, and not for longer.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type ServerId, serverId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { milliseconds as ms } from "../../core/time.ts";
import { rehearse } from "../../testing/election/contest-cast.ts";
import { outcomeOf } from "../../testing/election/peer-cast.ts";
import { hs } from "../hs/entry.ts";
import { lcr } from "../lcr/entry.ts";

const all = [1, 2, 3, 4, 5].map(serverId);
const [p1, p2, p3, p4, p5] = all as [ServerId, ServerId, ServerId, ServerId, ServerId];

for (const [name, entry] of Object.entries({ lcr, hs })) {
  /**
   * p2 cannot reach the leader for a while, begins a round in which it would be the best of all, and learns
   * by votes that the leader still leads. Then the leader dies; p2 hears of it after so long a time.
   */
  const story = (mutant: Mutant | null, hears: number) => {
    let drawn = 0;
    const score = (self: ServerId) => (self === p2 ? () => (drawn++ === 1 ? 100 : 0) : 10 * self);
    const delay = (from: ServerId, to: ServerId) => ms(from === p5 && to === p2 ? hears : 1);
    const play = rehearse({ entry, ring: all, score, delay, mutant });
    play.start(ms(0), ...all).play(ms(9000));
    play.cut(ms(10_000), [p2], [p5]).mend(ms(14_000), [p2], [p5]).play(ms(20_000));
    assert.deepEqual(
      outcomeOf(play),
      all.map((server) => `p${server}: p5`),
    );
    return play.crash(ms(21_000), p5);
  };

  suite(name, () => {
    test("who is told of a leader stays in its round, and draws no second key for it", () => {
      const draws = (mutant: Mutant | null) => {
        const lines = story(mutant, 1).play(ms(60_000)).transcript.split("\n");
        return lines.flatMap((line) => /p2 {2}scores .* in round (\d+)/.exec(line)?.[1] ?? []);
      };
      const [once, twice] = [draws(null), draws("round-falls")];
      assert.deepEqual(once, [...new Set(once)]);
      assert.notDeepEqual(twice, [...new Set(twice)]);
    });

    test("a greater one that let the own token pass is waited for no longer", () => {
      const leaders = (mutant: Mutant | null) => {
        const { elected } = story(mutant, 2000).play(ms(22_900));
        return [p1, p3, p4].map((server) => elected.get(server)?.leader);
      };
      assert.deepEqual(leaders(null), [p4, p4, p4]);
      assert.deepEqual(leaders("gone-key-kept"), [p5, p5, p5]);
    });
  });
}
