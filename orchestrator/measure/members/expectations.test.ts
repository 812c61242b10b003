import assert from "node:assert/strict";
import { test } from "node:test";
import type { ElectionRecording, ResourceUse } from "../../recording/recording.ts";
import { madeElection } from "../../testing/made-election.ts";
import { conclude } from "../conclude.ts";

const ELECTED = { 0: "1, 1 > 1, 1!, 2, 2 > 2, 2!", 3: "3, 3 > 3, 3!", 100: "1 > 3, 2 > 3" };
const use = (who: string, cpuSeconds: number, megabytes: number): ResourceUse => ({
  who,
  cpuSeconds,
  overSeconds: 10,
  peakBytes: megabytes * 1e6,
  proportionalBytes: (megabytes / 2) * 1e6,
});

function told(live: Partial<ElectionRecording>, announce = "1s"): readonly string[] {
  const { expectations } = conclude({ ...madeElection(ELECTED, { announce, listen: "5s" }), ...live });
  return expectations.map(({ what, met, found }) => `${met ? "" : "not "}${what}: ${found}`);
}

test("virtual time has neither machines nor late packets", () => {
  assert.deepEqual(told({}), []);
});

test("packets that the network carried over 2 ms late are told, and when the last began", () => {
  const carried = (veryLate: number): Partial<ElectionRecording> => ({
    counts: { ...madeElection(ELECTED).counts, carried: { packets: 2450, late: 4, veryLate } },
  });
  const end = "and 4 over 1 ms; the last member began 3.0 ms after the instant";
  assert.deepEqual(told(carried(0)), [`no packet is carried over 2 ms late: 0 of 2450, ${end}`]);
  assert.deepEqual(told(carried(1)), [`not no packet is carried over 2 ms late: 1 of 2450, ${end}`]);
});

test("what a member takes is told of the one that takes most", () => {
  assert.deepEqual(told({ resources: [use("m1", 0.05, 70), use("m2", 0.1, 80), use("network", 9, 900)] }), [
    "a member takes at most 80 MB: at most 80.0 MB were resident (RSS) of 2, " +
      "40.0 MB with what they share divided among them (PSS)",
    "a member takes at most 1 % of a core: at most 1.00 %, 0.75 % in the mean",
  ]);
  const [memory, time] = told({ resources: [use("m1", 0.05, 70), use("m2", 0.11, 80.1)] });
  assert.match(memory ?? "", /^not a member takes at most 80 MB/);
  assert.match(time ?? "", /^not a member takes at most 1 % of a core/);
});

test("a part of a core is expected where a leader speaks once a second or less often", () => {
  assert.equal(told({ resources: [use("m1", 0.05, 70)] }, "999ms").length, 1);
});
