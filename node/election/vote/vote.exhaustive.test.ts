// lane: works, 7 s
// Three servers that vote and all look for a leader, and everything that can happen to them then. Leases are
// times, and times are not here.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../../core/identity.ts";
import { milliseconds } from "../../core/time.ts";
import { allFollow } from "../../testing/election/contest-world.ts";
import { everything, nobodyIsStuck, type PeerSetting, SOME_TIME } from "../../testing/election/peer-world.ts";
import type { MajoritySays } from "./message.ts";
import { VoteElection } from "./vote.ts";
import type { VoteState } from "./vote-state.ts";

type Setting = Partial<PeerSetting<MajoritySays, VoteState>>;

const complaint = (waitForAll: boolean, setting: Setting): string | null =>
  everything<MajoritySays, VoteState>(
    (seat, state) => {
      const times = { standDelay: SOME_TIME, sitOut: SOME_TIME, retry: SOME_TIME };
      const noLeases = { lease: milliseconds(0), promise: SOME_TIME };
      const options = { ...seat, ...times, ...noLeases, ranked: true, waitForAll };
      const automaton = new VoteElection(options, state ?? undefined);
      return { automaton, state: () => automaton.state };
    },
    { timersFire: "quiet", allAsked: true, complainOfEnd: nobodyIsStuck, ...setting },
  ).complaint;

const best = { retries: 1, crashes: 0, complainOfEnd: allFollow(serverId(3)) } as const;
const hasty = { timersFire: "any time", retries: 1 } as const;

for (const waitForAll of [false, true]) {
  const how = waitForAll ? "waiting for all" : "by rank";
  const nothingWrong = (setting: Setting): void => assert.equal(complaint(waitForAll, setting), null);

  test(`${how}, without faults: all elect the best`, () => {
    nothingWrong(best);
  });

  test(`${how}: whoever dies, a round has one leader at most, and nobody is stuck`, () => {
    nothingWrong({ retries: 1, crashes: 1 });
  });

  test(`${how}: the same whichever connection breaks, whenever`, () => {
    nothingWrong({ retries: 1, breaks: 1 });
  });
}

test("waiting for all: the same however early timers fire", () => {
  assert.equal(complaint(true, hasty), null);
});

test("mutants are caught", () => {
  const last = (waitForAll: boolean, setting: Setting): string =>
    complaint(waitForAll, setting)?.split("\n").at(-1) ?? "none";
  assert.match(last(false, { ...best, mutant: "master-informs-nobody" }), /they end with/);
  assert.match(last(true, { ...best, mutant: "not-all-awaited" }), /they end with/);
});
