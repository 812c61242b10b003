import assert from "node:assert/strict";
import test, { suite } from "node:test";
import type { ServiceRecording } from "../recording/recording.ts";
import { FAULT, madeRecording } from "../testing/made-recording.ts";
import { measure } from "./measures.ts";
import { conclude } from "./conclude.ts";

const judgementOf = (recording: ServiceRecording) => conclude(recording).verdict;

/** As it would have been left at this time. */
function stoppedAt(at: number): ServiceRecording {
  const recording = madeRecording();
  return {
    ...recording,
    operations: recording.operations.filter(({ completed }) => completed < at),
    events: recording.events.filter((event) => event.at < at),
    marks: recording.marks.filter((mark) => mark.at < at),
    finals: [],
    interrupted: true,
  };
}

suite("a run that was interrupted", () => {
  test("is unknown, whenever that was: what was not seen yet proves nothing against it", () => {
    for (const at of [0, FAULT / 2, FAULT + 100_000, FAULT + 5e6]) {
      assert.equal(judgementOf(stoppedAt(at)).judgement, "unknown", `stopped at ${at}`);
    }
  });

  test("is as invalid as any other when it saw what must never happen", () => {
    const recording = stoppedAt(FAULT + 5e6);
    const [first, ...others] = recording.operations.toReversed();
    assert.ok(first !== undefined);
    const back = { ...first, zxid: 1 };
    const { judgement, findings } = judgementOf({ ...recording, operations: [...others.toReversed(), back] });
    assert.equal(judgement, "invalid");
    assert.deepEqual(
      findings.filter((finding) => finding.judgement === "invalid").map(({ property }) => property),
      ["sessions see one order"],
    );
  });

  test("had no later leader before its fault", () => {
    assert.deepEqual(measure(stoppedAt(FAULT / 2)).leaders, { before: 5, after: null });
  });
});
