// lane: works, 12 s
// Three servers of a ring with initiators, and everything that can happen to them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../../core/identity.ts";
import { allFollow, type ContestSetting, everything } from "../../testing/election/contest-world.ts";
import { type RunToken, type RunTour, runRules } from "./ring.ts";

type Setting = Omit<ContestSetting<RunToken, RunTour>, "rules"> & { readonly wakes?: boolean };

const worlds =
  (initiatorCache: boolean) =>
  ({ wakes = true, ...setting }: Setting) =>
    everything({
      rules: { ...runRules({ initiatorCache, mutant: setting.mutant ?? null }), wakes },
      ...setting,
    });

const FALLING = [3, 2, 1].map(serverId);
const again = { timersFire: "quiet", retries: Infinity } as const;

for (const initiatorCache of [true, false]) {
  const rule = initiatorCache ? "by the cache" : "by the flag";
  const nothingWrong = (setting: Setting): void =>
    assert.equal(worlds(initiatorCache)(setting).complaint, null);

  for (const order of ["ids", FALLING] as const) {
    const way = order === "ids" ? "rising" : "falling";
    test(`${rule}, keys ${way} along the way, without faults: all elect the best, whoever begins`, () => {
      nothingWrong({ order, timersFire: "last", complainOfEnd: allFollow(serverId(3)) });
    });

    test(`${rule}, keys ${way} along the way: whoever dies, whenever, the others agree in the end`, () => {
      nothingWrong({ order, ...again, crashes: 1, askAgain: 2 });
    });
  }

  test(`${rule}: whichever connection breaks, whenever, all agree in the end`, () => {
    nothingWrong({ wakes: false, ...again, breaks: 1, askAgain: 2 });
  });

  test(`${rule}: mutants are caught`, () => {
    const complaint = (setting: Setting): string =>
      worlds(initiatorCache)(setting).complaint?.split("\n").at(-1) ?? "none";
    const dies = { wakes: false, ...again, crashes: 1, askAgain: 1 } as const;
    assert.match(complaint({ ...dies, mutant: "token-without-quorum" }), /in which only 1 stood/);
    assert.match(
      complaint({ ...again, breaks: 1, mutant: "lost-token-not-repeated" }),
      /they end with|no end/,
    );
    assert.match(complaint({ ...dies, score: () => 1, mutant: "ties-without-id" }), /they end with|no end/);
  });
}
