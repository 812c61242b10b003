// lane: works, 5 s
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Duration, seconds } from "#node/core/time.ts";
import { parseFault } from "../../fault/words.ts";
import { measure } from "../../measure/measures.ts";
import { planTrial } from "../../plan/flags.ts";
import type { ServiceRecording } from "../../recording/recording.ts";
import { fork, type Turn } from "./fork.ts";

const plan = planTrial(
  { topology: "3dc", oracle: "latency", duration: "7s", killAt: "4s", settle: "1s", rate: "100/s" },
  "sim",
);
const nothing: Turn = { at: seconds(3), faults: [], instead: false, oracle: null };
const turned = (turn: Partial<Turn>) => fork(plan, { ...nothing, ...turn }, new AbortController().signal);

function faultOf(words: string) {
  const parsed = parseFault(words, plan.topology);
  assert.ok(typeof parsed !== "string");
  return parsed;
}

const past = ({ events, operations, marks }: ServiceRecording, until: Duration) => ({
  events: events.filter(({ at }) => at < until),
  operations: operations.filter(({ completed }) => completed < until),
  marks: marks.filter(({ at }) => at < until),
});

suite("another future of a trial in virtual time", () => {
  test("in which nothing is changed is the same one", async () => {
    const { asItWas, turned: same } = await turned({});
    assert.deepEqual(past(same, seconds(99)), past(asItWas, seconds(99)));
  });

  for (const [what, turn] of [
    ["another distance", { faults: [faultOf("3s link slac fnal 200ms")] }],
    ["another fault", { faults: [faultOf("3.5s pause p1")] }],
    ["no fault", { instead: true }],
    ["another oracle", { oracle: { name: "worst-case", preference: [], module: null } }],
  ] as const) {
    test(`with ${what} has the same past, to the last event, and a future of its own`, async () => {
      const { asItWas, turned: other } = await turned(turn);
      assert.deepEqual(past(other, seconds(3)), past(asItWas, seconds(3)));
      assert.notDeepEqual(other.events, asItWas.events);
    });
  }

  test("with another oracle elects by it", async () => {
    const { asItWas, turned: other } = await turned({
      oracle: { name: "preference", preference: [1 as never], module: null },
    });
    // Both servers of slac are as good.
    const { after } = measure(asItWas).leaders;
    assert.ok(after === 2 || after === 3, `${after}`);
    assert.equal(measure(other).leaders.after, 1);
  });

  test("with another oracle after an election does not undo it", async () => {
    const at = seconds(6);
    const { asItWas, turned: other } = await turned({
      at,
      oracle: { name: "preference", preference: [1 as never], module: null },
    });
    assert.deepEqual(past(other, at), past(asItWas, at));
    assert.equal(measure(other).leaders.after, measure(asItWas).leaders.after);
  });

  test("without the fault has no outage", async () => {
    const { turned: other } = await turned({ instead: true });
    assert.equal(measure(other).outage, null);
    assert.equal(other.marks.length, 0);
  });
});
