// lane: works, 1 s
// What others may tell a member of a ring in rounds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memberId } from "../../core/identity.ts";
import { after, instant, milliseconds } from "../../core/time.ts";
import { timeSlice, variableSpeeds } from "./entry.ts";
import type { Said } from "./in-rounds.ts";

const ROUND = milliseconds(100);
const [TWO, STRANGER] = [memberId(2), memberId(9)];

for (const election of [timeSlice, variableSpeeds]) {
  /** Whom member 2 of three follows after a round in which this was said. */
  const followed = (said: Said): readonly number[] => {
    const member = election.create(TWO, { round: ROUND, ringSize: 3 });
    const start = instant(0);
    const effects = [
      ...member.step({ kind: "start", life: 1 }, start),
      ...member.step({ kind: "message", from: STRANGER, message: said }, start),
      ...member.step({ kind: "timeout", timer: "round" }, after(start, ROUND)),
    ];
    return effects.flatMap((effect) =>
      effect.kind === "output" && effect.output.kind === "elected" ? [effect.output.leader] : [],
    );
  };

  test(`${election.summary}: who is not of the ring is not followed, and nobody dies of its name`, () => {
    const elected: Said = { kind: "elected", id: 3, to: 2, number: 1 };
    assert.deepEqual(followed(elected), [3]);
    for (const id of [0, 4, 70_000, 2 ** 27 - 1]) assert.deepEqual(followed({ ...elected, id }), []);
  });
}
