import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { madeRecording } from "../testing/made-recording.ts";
import { measure } from "./measures.ts";
import { meets, parseThreshold } from "./threshold.ts";

const measures = measure(madeRecording());
const sites = ["caltech", "slac", "fnal"];

suite("thresholds", () => {
  const outcome = (text: string) => {
    const threshold = parseThreshold(text, sites);
    assert.ok(typeof threshold !== "string", text);
    return meets(threshold, measures);
  };

  test("what is demanded is compared with what was measured", () => {
    assert.deepEqual(outcome("outage<2s"), {
      text: "outage<2s",
      passed: true,
      measured: 320,
      unit: "ms",
      atLeast: false,
    });
    assert.equal(outcome("outage<320ms").passed, false);
    assert.equal(outcome("outage<=320ms").passed, true);
    assert.deepEqual(outcome("stall<100ms"), {
      text: "stall<100ms",
      passed: true,
      measured: 0,
      unit: "ms",
      atLeast: false,
    });
    assert.equal(outcome("mean.after.slac<31ms").passed, true);
    assert.equal(outcome("p99.before<1ms").passed, false);
    assert.equal(outcome("max<29ms").passed, false);
  });

  test("what is no time has limits in its own unit, from above or from below", () => {
    // 300 writes a second, all of which were acknowledged, for 20 s.
    for (const [text, passed, measured] of [
      ["loss<1%", true, 0],
      ["loss<0%", false, 0],
      ["unknown<=0", true, 0],
      ["throughput>299/s", true, 300],
      ["throughput>300/s", false, 300],
      ["throughput>=300/s", true, 300],
      ["detection<20ms", true, 12],
      ["above.after<0.1ms", true, measures.physics.after?.aboveMs],
    ] as const) {
      const found = outcome(text);
      assert.deepEqual([text, found.passed, found.measured], [text, passed, measured]);
    }
    assert.equal(outcome("messages.pulled<5").passed, false, "nothing was counted");
  });

  test("an outage's limit may be its bound, where there is one", () => {
    const bounded = (ms: number | null) => {
      const threshold = parseThreshold("outage<bound", sites);
      assert.ok(typeof threshold !== "string");
      const outageBound =
        ms === null ? null : { election: null, ms, establishedMs: 1, floorMs: 1, sites: {}, news: new Map() };
      return meets(threshold, { ...measures, physics: { ...measures.physics, outageBound } }).passed;
    };
    assert.deepEqual([bounded(321), bounded(320), bounded(null)], [true, false, false]);
  });

  test("what was not measured does not pass", () => {
    const threshold = parseThreshold("outage<2s", sites);
    assert.ok(typeof threshold !== "string");
    assert.equal(meets(threshold, { ...measures, outage: null }).passed, false);
  });

  for (const [text, problem] of [
    ["outage", /no threshold such as/],
    ["outage<2", /is not a duration such as 2s/],
    ["loss<2s", /"2s" in "loss<2s" is not a share such as 1%/],
    ["throughput>9", /is not a rate such as 900\/s/],
    ["troughput>900/s", /"troughput" is not measured, did you mean "throughput"/],
    ["p99<bound", /only an outage has a bound/],
    ["p98<2s", /"p98" is not measured, did you mean "p95"/],
    ["p99.later<2s", /"later" is no phase/],
    ["p99.after.slak<2s", /unknown site "slak", did you mean "slac"/],
  ] as const) {
    test(`refused: ${text}`, () => {
      const parsed = parseThreshold(text, sites);
      assert.ok(typeof parsed === "string");
      assert.match(parsed, problem);
    });
  }
});
