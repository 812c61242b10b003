import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { milliseconds } from "#node/core/time.ts";
import { withLink } from "../topology/topology.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import { expectations } from "./expectations.ts";
import { madeCertificate } from "../testing/made-certificate.ts";
import { madeRecording } from "../testing/made-recording.ts";
import { measure } from "./measures.ts";
import { conclude } from "./conclude.ts";

const recording = madeRecording();

const found = (words: RegExp, change: Partial<ServiceRecording> = {}) => {
  const changed = { ...recording, ...change };
  return expectations(changed, measure(changed)).filter(({ what }) => words.test(what));
};

suite("what is expected of a run, but not demanded", () => {
  test("an outage beyond its bound is told with what the bound is made of, and the run counts", () => {
    const [outage] = found(/bound/);
    // The news and the word of the second nearest were at p3 after 5 ms, its quorum is 9.9 away; 30 besides.
    assert.equal(outage?.met, false);
    assert.match(outage.found, /^320\.0 ms of 44\.9: the ways allow 14\.9 .* established after 5\.0,/);
    assert.match(outage.found, /above what the ways allow: fnal 218\.3, slac 315\.1, caltech 310\.1$/);
    assert.equal(conclude(recording).verdict.judgement, "valid");
  });

  test("the bound knows nothing of when anybody noticed, which has an expectation of its own", () => {
    const [outage] = found(/bound/);
    const late = recording.events.map((told) =>
      told.event.kind === "looking" && told.at > 10_000_000 ? { ...told, at: told.at + 50_000 } : told,
    );
    const [again] = found(/bound/, { events: late });
    assert.equal(again?.found, outage?.found);
    const [noticed] = found(/noticed/, { events: late });
    assert.equal(noticed?.met, false);
    assert.match(noticed.found, /after the news could be there; 20 are for machines/);
  });

  test("a fault that comes late is told, and is no part of the bound", () => {
    assert.equal(found(/planned/)[0]?.met, true);
    const faults = recording.plan.faults.map((one) => ({ ...one, at: (one.at - 40_000) as typeof one.at }));
    const [late] = found(/planned/, { plan: { ...recording.plan, faults } });
    assert.equal(late?.met, false);
    assert.match(late.found, /^crash leader came 40\.0 ms after it was due/);
  });

  test("who is buried slowly, and a machine of which nobody tells, has a longer bound", () => {
    const ms = (change: Partial<ServiceRecording>): number =>
      measure({ ...recording, ...change }).physics.outageBound?.ms ?? Number.NaN;
    const usual = ms({});
    assert.ok(Math.abs(ms({ machine: { syncMs: 1, exitMs: 25 } }) - usual - 25) < 1e-9);
    const gone = recording.marks.map((mark) => ({ ...mark, fault: "crash-machine leader" }));
    assert.ok(Math.abs(ms({ marks: gone }) - usual - 500) < 1e-9, "five heartbeats of 100 ms");
  });

  test("an outage within its bound meets it", () => {
    const ways = [
      ["slac", "caltech"],
      ["slac", "fnal"],
    ] as const;
    const topology = ways
      .flatMap(([a, b]) => [[a, b] as const, [b, a] as const])
      .reduce((map, [a, b]) => withLink(map, a, b, { delay: milliseconds(150) }), recording.plan.topology);
    assert.equal(found(/bound/, { plan: { ...recording.plan, topology } })[0]?.met, true);
  });

  test("the leader is compared with the model's", () => {
    assert.deepEqual(found(/leader/), [
      {
        what: "the leader is one that the model expects",
        met: true,
        found: "p3 was elected; expected: p2 or p3",
      },
    ]);
  });

  test("clients and orchestrator together should stay small, whatever the network takes", () => {
    const use = (who: string, cpuSeconds: number) => ({ who, cpuSeconds, peakBytes: 1 });
    const own = [use("clients-slac", 2), use("orchestrator", 2), use("p1", 9), use("network", 8)];
    const [footprint] = found(/core/, { resources: own });
    assert.equal(footprint?.met, true);
    assert.equal(
      footprint.found,
      "clients and orchestrator took 20.0 % of one core at 1000 writes/s; " +
        "the emulated network took 40.0 % of one core beside it",
    );
    assert.equal(found(/core/, { resources: [...own, use("clients-fnal", 1.1)] })[0]?.met, false);
    assert.deepEqual(found(/core/, { resources: [use("simulator", 3)] }), [], "virtual time has no clients");
  });

  test("a certificate's reasons are told, where one was taken", () => {
    const idle = madeCertificate([["slac", "fnal", 53.3]]);
    const reasons = ["slac to fnal: the p99 is 393 us too long"];
    const certificates = { idle, loaded: { ...idle, verdict: "invalid" as const, reasons } };
    assert.deepEqual(
      found(/packet/, { certificates }).map(({ met, found: text }) => [met, text]),
      [
        [true, "mean, spread, distribution, loss and order of every way"],
        [false, "slac to fnal: the p99 is 393 us too long"],
      ],
    );
    assert.deepEqual(found(/packet/), []);
  });
});
