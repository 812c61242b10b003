// lane: works, 8 s
// Three servers of Bully that all look for a leader, and everything that can happen to them then.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../../core/identity.ts";
import { allFollow } from "../../testing/election/contest-world.ts";
import { everything, nobodyIsStuck, type PeerSetting, SOME_TIME } from "../../testing/election/peer-world.ts";
import { BullyElection, type BullyState } from "./bully.ts";
import type { BullySays } from "./message.ts";

type Setting = Partial<PeerSetting<BullySays, BullyState>>;

const complaint = (byScore: boolean, setting: Setting): string | null =>
  everything<BullySays, BullyState>(
    (seat, state) => {
      const times = { answerTimeout: SOME_TIME, coordinatorTimeout: SOME_TIME };
      const automaton = new BullyElection(
        { ...seat, ...times, byScore, knownDown: true },
        state ?? undefined,
      );
      return { automaton, state: () => automaton.state };
    },
    { timersFire: "quiet", allAsked: true, complainOfEnd: nobodyIsStuck, ...setting },
  ).complaint;

const best = { retries: 1, crashes: 0, complainOfEnd: allFollow(serverId(3)) } as const;
const dies = { retries: 1, crashes: 1 } as const;
const hasty = { timersFire: "any time" } as const;

for (const byScore of [false, true]) {
  const how = byScore ? "by score" : "by id";
  const nothingWrong = (setting: Setting): void => assert.equal(complaint(byScore, setting), null);

  test(`${how}, without faults: all elect the best`, () => {
    nothingWrong(best);
  });

  test(`${how}: whoever dies, a round has one leader at most, and nobody is stuck`, () => {
    nothingWrong(dies);
  });

  test(`${how}: the same whichever connection breaks, whenever`, () => {
    nothingWrong({ retries: 1, breaks: 1 });
  });

  test(`${how}: the same however early timers fire`, () => {
    nothingWrong(hasty);
  });
}

test("mutants are caught", () => {
  const last = (byScore: boolean, setting: Setting): string =>
    complaint(byScore, setting)?.split("\n").at(-1) ?? "none";
  assert.match(last(true, { ...best, mutant: "ok-not-awaited" }), /quorums follow|they end with/);
  assert.match(last(true, { ...dies, mutant: "two-followed-in-a-round" }), /quorums follow/);
  assert.match(last(false, { ...hasty, mutant: "bullied-on-recovery" }), /quorums follow/);
});
