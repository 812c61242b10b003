import assert from "node:assert/strict";
import { test } from "node:test";
import { madeElection } from "../../testing/made-election.ts";
import { conclude } from "../conclude.ts";
import { acrossElections } from "./across.ts";

const heardAfter = (...ms: number[]): Parameters<typeof madeElection>[0] => ({
  0: "1, 1 > 1, 1!, 2, 2 > 2, 2!, 3, 3 > 3, 3!",
  ...Object.fromEntries(ms.map((at, index) => [at, `${index + 1} > 3`])),
});

test("repetitions have a mean and an interval, and what never came in a run does not count", () => {
  const summaries = [heardAfter(100, 400), heardAfter(100, 600), heardAfter(100)].map(
    (story) => conclude(madeElection(story)).summary,
  );
  const rows = new Map(acrossElections(summaries).map(([what = "", ...rest]) => [what, rest]));
  assert.deepEqual(rows.get(""), ["mean", "95 %", "median", "95 %", "runs"]);
  assert.deepEqual(rows.get("latched after the beginning"), [
    "500.00 ms",
    "not enough runs",
    "500.00 ms",
    "not enough runs",
    "2",
  ]);
  assert.deepEqual(rows.get("announcements in the first round"), [
    "3.00",
    "not enough runs",
    "3.00",
    "not enough runs",
    "3",
  ]);
  assert.equal(rows.get("of the time in disagreement")?.[0], "36.67 %");
});
