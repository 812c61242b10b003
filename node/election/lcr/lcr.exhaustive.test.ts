// Three servers of a ring, and everything that can happen to them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../../core/identity.ts";
import { allFollow, type ContestSetting, everything } from "../../testing/election/contest-world.ts";
import type { Token } from "../medium/contest-message.ts";
import { type LcrTour, lcrRules } from "./lcr.ts";

type Setting = Omit<ContestSetting<Token, LcrTour>, "rules">;
const worlds = (setting: Setting) => everything({ rules: lcrRules, ...setting });
const nothingWrong = (setting: Setting): void => assert.equal(worlds(setting).complaint, null);

const ORDERS = ["ids", [3, 2, 1].map(serverId)] as const;
const again = { timersFire: "quiet", retries: Infinity } as const;

for (const order of ORDERS) {
  const way = order === "ids" ? "rising" : "falling";
  test(`keys ${way} along the way, without faults: all elect the best`, () => {
    nothingWrong({ order, timersFire: "last", complainOfEnd: allFollow(serverId(3)) });
    nothingWrong({ order, ...again, askAgain: 1 });
  });

  test(`keys ${way} along the way: whoever dies, whenever, the others agree in the end`, () => {
    nothingWrong({ order, ...again, crashes: 1, askAgain: 2 });
  });

  test(`keys ${way} along the way: whichever connection breaks, whenever, all agree in the end`, () => {
    nothingWrong({ order, ...again, breaks: 1, askAgain: 2 });
  });
}

const complaint = (setting: Setting): string => worlds(setting).complaint?.split("\n").at(-1) ?? "none";

test("mutants are caught", () => {
  const dies = { ...again, crashes: 1, askAgain: 1 } as const;
  assert.match(complaint({ ...dies, mutant: "token-without-quorum" }), /in which only 1 stood/);
  assert.match(complaint({ ...dies, mutant: "orphan-token-kept" }), /no end can be reached/);
  assert.match(complaint({ ...again, breaks: 1, mutant: "lost-token-not-repeated" }), /they end with|no end/);
  assert.match(
    complaint({ ...dies, score: () => 1, mutant: "ties-without-id" }),
    /they end with|no end can be reached/,
  );
});
