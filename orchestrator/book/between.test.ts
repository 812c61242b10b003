import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { conclude } from "../measure/conclude.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { madeRecording } from "../testing/made-recording.ts";
import { type ArmRun, type Between, judgeBetween, parseBetween, printBetween } from "./between.ts";

const { summary } = conclude(madeRecording());
const ARMS = ["latency", "zookeeper"];

const runs = (arm: string, outages: readonly number[], change: Partial<ServiceSummary> = {}): ArmRun[] =>
  outages.map((overall, repetition) => ({
    arm,
    repetition,
    summary: { ...summary, outageMs: { overall, sites: {} }, ...change },
  }));

function read(text: string): Between {
  const parsed = parseBetween(text, ARMS);
  assert.ok(typeof parsed !== "string", text);
  return parsed;
}

function refused(text: string): string {
  const parsed = parseBetween(text, ARMS);
  assert.ok(typeof parsed === "string", text);
  return parsed;
}

const judged = (text: string, ...given: readonly (readonly ArmRun[])[]) =>
  judgeBetween(read(text), given.flat());

suite("a threshold between two arms", () => {
  const ours = runs("latency", [30, 31, 32, 33, 34, 35]);
  const theirs = runs("zookeeper", [300, 300, 300, 300, 300, 300]);

  test("passes when the whole interval keeps to it, fails when all of it does not", () => {
    assert.equal(judged("outage:latency/zookeeper<0.12", ours, theirs).judgement, "passed");
    assert.equal(judged("outage:latency/zookeeper<0.1", ours, theirs).judgement, "failed");
    assert.equal(judged("outage:zookeeper/latency>8", ours, theirs).judgement, "passed");
    assert.equal(judged("outage:zookeeper/latency>11", ours, theirs).judgement, "failed");
  });

  test("an interval that has the limit in it tells nothing, nor do five pairs", () => {
    assert.equal(judged("outage:latency/zookeeper<0.11", ours, theirs).judgement, "not told");
    const few = judged("outage:latency/zookeeper<0.9", ours.slice(1), theirs);
    assert.deepEqual([few.judgement, few.ratio?.count], ["not told", 5]);
    assert.match(printBetween(few), /0\.110 of 5 pairs are too few for an interval/);
  });

  test("takes pairs of one repetition, and of them those that count", () => {
    const lame = runs("zookeeper", [1, 1, 1], { verdict: { judgement: "invalid", findings: [] } });
    assert.equal(judged("outage:latency/zookeeper<0.9", ours, lame).ratio, null);
    const [, ...later] = theirs;
    assert.equal(judged("outage:latency/zookeeper<0.9", ours, later).ratio?.count, 5);
  });

  test("a number that is only known to be at least so much is in no pair", () => {
    const open = runs("zookeeper", [1, 1], { silence: { ms: 9000, atLeast: true } });
    const closed = runs("latency", [1, 1], { silence: { ms: 30, atLeast: false } });
    assert.equal(judged("silence:latency/zookeeper<0.1", closed, open).ratio, null);
  });

  test("is refused in a sentence where the words are none, or name no arm", () => {
    assert.match(refused("outage<2s"), /none such as outage:latency\/zookeeper<0\.5/);
    assert.match(refused("outage:latency/zookeper<0.5"), /no arm "zookeper".*zookeeper/);
  });
});
