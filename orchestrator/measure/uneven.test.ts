// lane: works, 2 s
// A run in which everything is unequal: whatever number stood for another would show.
import assert from "node:assert/strict";
import { join } from "node:path";
import test, { suite } from "node:test";
import { unevenRecording } from "../testing/uneven-recording.ts";
import { conclude } from "./conclude.ts";
import { isFaithful } from "./judgement.ts";
import type { Timeline } from "./timeline.ts";
import { parseThreshold } from "./threshold.ts";

const recording = unevenRecording();
const { measures, summary, verdict } = conclude(recording);
const { operations } = recording;

/** To the microsecond, as JSON. */
const printed = (value: unknown): string =>
  `${JSON.stringify(value, (_, one: unknown) => (typeof one === "number" ? rounded(one) : one), 1)}\n`;
const rounded = (value: number): number => Number(value.toFixed(3));
const serializers = [(text: string) => text];
const testdata = (file: string): string => join(import.meta.dirname, "testdata", file);
/** Sorted, and counted from the end: not how the measures do it. */
const above = (sorted: readonly number[], share: number): number =>
  sorted[sorted.length - 1 - Math.floor(sorted.length * (1 - share) + 1e-9)] ?? Number.NaN;

suite("a run in which everything is unequal", () => {
  test("counts", () => {
    // Of 2,000 numbers n mod 197 is 5 for 11, and n mod 131 is 7 for 16, one of which (793) has failed.
    assert.deepEqual(summary.outcomes, { ok: 3 * (2000 - 11 - 15), failed: 3 * 11, unknown: 3 * 15 });
    assert.equal(verdict.judgement, "valid", JSON.stringify(verdict.findings));
  });

  for (const site of ["fnal", "slac", "caltech"]) {
    for (const [phase, from, to] of [
      ["before", 2.5e6, 9e6],
      ["during", 9e6, 12.5e6],
      ["after", 12.5e6, 20e6],
    ] as const) {
      test(`latencies of ${site} ${phase} the fault are of all that were due then`, () => {
        const due = operations.filter(
          (one) => one.site === site && one.intended >= from && one.intended < to,
        );
        const took = due
          .map(({ intended, completed }) => (completed - intended) / 1e3)
          .toSorted((a, b) => a - b);
        const { mean, atLeast, ...found } = summary.latencyMs.sites[site]?.[phase] ?? assert.fail();
        assert.ok(Math.abs(mean - took.reduce((sum, ms) => sum + ms, 0) / took.length) < 1e-9);
        assert.deepEqual(found, {
          count: took.length,
          p50: above(took, 0.5),
          p95: above(took, 0.95),
          p99: above(took, 0.99),
          max: took.at(-1),
        });
        // One in a hundred was not acknowledged, after 700 ms or more, so it is these that the end rests on.
        assert.ok(["mean", "p99", "max"].every((name) => atLeast.includes(name as "p99")));
        const own = measures.latencies.sites[site]?.[phase] ?? assert.fail();
        const { acknowledged, failed, unknown } = own;
        assert.equal(acknowledged + failed + unknown, due.length);
        assert.ok(failed > 0 && unknown > failed);
      });
    }
  }

  test("a second tells what was due in it, what was answered in it, and how long what was due took", () => {
    const { steps } = measures.timeline;
    const acknowledged = operations.filter(({ outcome }) => outcome === "ok");
    for (const [second, step] of steps.entries()) {
      const within = (at: number): boolean => Math.floor(at / 1e6) === second;
      assert.equal(step.sent, 300);
      assert.equal(step.acknowledged, acknowledged.filter(({ completed }) => within(completed)).length);
      const took = acknowledged
        .filter(({ intended }) => within(intended))
        .map(({ intended, completed }) => (completed - intended) / 1e3)
        .toSorted((a, b) => a - b);
      assert.equal(step.p99Ms, above(took, 0.99));
    }
  });

  test("all that is kept of it", (t) => {
    const { trial: _, ...kept } = summary;
    t.assert.fileSnapshot(printed(kept), testdata("uneven-summary.txt"), { serializers });
  });

  test("all that charts are drawn from", (t) => {
    const short = ({ stepMs, fromMs, steps }: Timeline) => ({
      stepMs,
      fromMs,
      steps: steps.map(({ sent, acknowledged, meanMs, p99Ms }) =>
        [sent, acknowledged, meanMs?.toFixed(3), p99Ms?.toFixed(3)].join(" "),
      ),
    });
    const shortOf = (of: Readonly<Record<string, Timeline>>) =>
      Object.fromEntries(Object.entries(of).map(([site, one]) => [site, short(one)]));
    const { spans, timeline, siteTimelines, closeUp, reigns, faults, stall, recovery } = measures;
    const drawn = {
      spans,
      timeline: short(timeline),
      siteTimelines: shortOf(siteTimelines),
      closeUp: shortOf(closeUp),
      reigns,
      faults,
      stall,
      recovery,
    };
    t.assert.fileSnapshot(printed(drawn), testdata("uneven-measures.txt"), { serializers });
  });

  test("a threshold is about the number that it names", () => {
    const limits = { mean: 41.61, p50: 41, p95: 64, p99: 159.5, max: 169.5 };
    for (const [statistic, ms] of Object.entries(limits)) {
      // What was not acknowledged makes them bounds, which pass nothing.
      const acknowledged = operations.filter(({ outcome }) => outcome === "ok");
      const { thresholds } = conclude(
        { ...recording, operations: acknowledged },
        [`${statistic}<=${ms + 0.01}ms`, `${statistic}<${ms}ms`].map((words) => {
          const parsed = parseThreshold(words, ["slac"]);
          assert.ok(typeof parsed !== "string", words);
          return parsed;
        }),
      );
      assert.deepEqual(
        thresholds.map(({ passed }) => passed),
        [true, false],
        `${statistic}: ${thresholds[0]?.measured}`,
      );
    }
  });
});

test("a network is faithful within 0.2 ms and 2 %, in both directions", () => {
  // 0.2 + 0.02 * 40 = 1.0
  assert.deepEqual(
    [38.99, 39.01, 40, 40.99, 41.01].map((ms) => isFaithful(ms, 40)),
    [false, true, true, true, false],
  );
  assert.ok(isFaithful(0.2, 0), "no way at all may take what machines take");
});
