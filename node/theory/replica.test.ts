// lane: works, 4 s
// What a replica runs, hardened, beside the lecture's letter: where nobody fails its tokens cost the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hs } from "../election/hs/entry.ts";
import { lcr } from "../election/lcr/entry.ts";
import { tokensOn } from "../testing/election/contest-cast.ts";
import { lectures } from "./catalog.ts";
import { inStep } from "./in-step.ts";
import { places } from "./lecture.ts";
import { carried } from "./outcome.ts";

const rings = fc.uniqueArray(fc.integer({ min: 1, max: 250 }), { minLength: 2, maxLength: 60 });

const costs = {
  lcr: (ids: readonly number[]) => tokensOn(lcr, ids),
  hs: (ids: readonly number[]) => tokensOn(hs, ids),
};

for (const name of ["lcr", "hs"] as const) {
  test(`${name}: a replica's election costs as many tokens on any ring as the letter`, () => {
    const lecture = lectures[name];
    fc.assert(
      fc.property(rings, (ids) => {
        const letter = inStep(lecture.cast({ ids, initiators: places(ids.length), seed: 0 }, null));
        assert.equal(costs[name](ids), carried(letter, ...lecture.counted));
      }),
      { numRuns: 25 },
    );
  });
}
