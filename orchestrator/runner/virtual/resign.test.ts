// lane: works, 10 s
// Trials in virtual time whose leader gives its place to a better one: nobody's write fails, and who waits
// does not wait long.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conclude } from "../../measure/conclude.ts";
import { planTrial } from "../../plan/flags.ts";
import type { ServiceRecording } from "../../recording/recording.ts";
import { latencyMs } from "../../workload/operation.ts";
import { simulate } from "./trial.ts";

const flags = {
  rate: "200/s",
  duration: "20s",
  warmUp: "1s",
  resign: "margin=10%,hold=2s,quiet=4s",
  killAt: "never",
};

/** When each server began to lead. */
const leadersOf = ({ events }: ServiceRecording): readonly string[] =>
  events.flatMap(({ at, server, event }) =>
    event.kind === "serving" && event.leader === server && at > 0 ? [`p${server}`] : [],
  );

const worstMs = ({ operations }: ServiceRecording): number => Math.max(...operations.map(latencyMs));

test("a first leader that is not the best hands over, once, and every write is answered", () => {
  const recording = simulate(planTrial({ ...flags, firstLeader: "p1" }, "sim"));
  assert.deepEqual(new Set(recording.operations.map(({ outcome }) => outcome)), new Set(["ok"]));
  const [leader, ...others] = leadersOf(recording);
  assert.ok(leader === "p2" || leader === "p3", leader);
  assert.deepEqual(others, []);
  // A client of caltech: to p1 and back, its quorum, and the handover from far away.
  assert.ok(worstMs(recording) < 77 + 53 + 250, String(worstMs(recording)));
  assert.deepEqual(conclude(recording).verdict.judgement, "valid");
  const resigned = recording.events.find(({ event }) => event.kind === "resigned")?.event;
  assert.ok(resigned?.kind === "resigned");
  const { beforeMs, afterMs, ownMs = 0, otherMs = 0 } = resigned;
  assert.ok(Math.abs(afterMs - otherMs) < 4, JSON.stringify(resigned));
  // Of those before, the last waited for the handover, and there are not many.
  assert.ok(beforeMs > ownMs - 4 && beforeMs < ownMs + 40, JSON.stringify(resigned));
});

test("a preferred server that comes back is waited for, and has the place again", () => {
  const fault = ["5s crash p5", "8s restart p5"];
  const plan = planTrial(
    { ...flags, killAt: "", fault, settle: "1s", oracle: "site", sites: "caltech,slac" },
    "sim",
  );
  const recording = simulate(plan);
  const first = leadersOf(recording);
  assert.equal(first[0], "p4");
  assert.ok(first.length <= 2, first.join(" "));
  assert.ok(recording.operations.every(({ outcome }) => outcome !== "failed"));
});

test("who leads best stays", () => {
  const recording = simulate(planTrial({ ...flags, firstLeader: "p3" }, "sim"));
  assert.deepEqual(leadersOf(recording), []);
});
