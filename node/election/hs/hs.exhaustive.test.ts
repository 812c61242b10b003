// Three servers of a ring, and everything that can happen to them. Broken connections make too many worlds
// here: the swarm has those.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../../core/identity.ts";
import { allFollow, type ContestSetting, everything } from "../../testing/election/contest-world.ts";
import { type HsToken, type HsTour, hsRules } from "./hs.ts";

type Setting = Omit<ContestSetting<HsToken, HsTour>, "rules">;
const worlds = (setting: Setting) => everything({ rules: hsRules, ...setting });
const nothingWrong = (setting: Setting): void => assert.equal(worlds(setting).complaint, null);

const again = { timersFire: "quiet", retries: Infinity } as const;

for (const order of ["ids", [3, 2, 1].map(serverId)] as const) {
  const way = order === "ids" ? "rising" : "falling";
  test(`keys ${way} along the way, without faults: all elect the best`, () => {
    nothingWrong({ order, timersFire: "last", complainOfEnd: allFollow(serverId(3)) });
    nothingWrong({ order, timersFire: "quiet", retries: 1, complainOfEnd: allFollow(serverId(3)) });
  });

  test(`keys ${way} along the way: whoever dies, whenever, the others agree in the end`, () => {
    nothingWrong({ order, ...again, crashes: 1, askAgain: 2 });
  });
}

const complaint = (setting: Setting): string => worlds(setting).complaint?.split("\n").at(-1) ?? "none";

test("mutants are caught", () => {
  const dies = { ...again, crashes: 1, askAgain: 1 } as const;
  assert.match(complaint({ ...dies, mutant: "token-without-quorum" }), /in which only \d stood/);
  assert.match(complaint({ ...dies, mutant: "lost-token-not-repeated" }), /they end with|no end/);
  assert.match(complaint({ ...dies, score: () => 1, mutant: "ties-without-id" }), /they end with|no end/);
});
