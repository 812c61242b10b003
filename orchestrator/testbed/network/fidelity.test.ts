import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { Random } from "#node/core/random.ts";
import { microseconds, milliseconds } from "#node/core/time.ts";
import type { LinkShape } from "../../topology/topology.ts";
import { QUANTILES, table } from "./distribution.ts";
import { IDLE, judge, ownCost, type Sample } from "./fidelity.ts";

const asked: LinkShape = {
  delay: milliseconds(26.63),
  jitter: { distribution: "pareto", scale: microseconds(533), halfLife: microseconds(0) },
  loss: 0,
  rate: Number.POSITIVE_INFINITY,
};

/** 1500 delays as asked, or otherwise when `bend` says so. */
function sample(bend: (delay: number) => number = (delay) => delay, rest: Partial<Sample> = {}): Sample {
  const random = new Random(11);
  const { quantiles } = table("pareto");
  const delays = Array.from({ length: 1500 }, () =>
    bend(26_630 + 533 * (quantiles[random.uint32() % QUANTILES] ?? 0)),
  );
  return {
    from: "slac",
    to: "fnal",
    asked,
    ordered: true,
    sent: 1500,
    delays,
    reordered: 0,
    roundTrips: [53_300],
    askedRoundTrip: 53_260,
    bandwidth: null,
    ...rest,
  };
}

const faults = (given: Sample): string => judge(given, undefined, IDLE).faults.join("; ");

test("an engine's own cost is what most passages took, but never what a busy machine took", () => {
  assert.equal(ownCost([20, 21, 22, 23, 9000]), 22);
  assert.equal(ownCost([-3, -2, 400]), -2);
  assert.equal(ownCost([6000, 7000, 8000]), 300);
  assert.equal(ownCost([]), 0);
});

suite("a network is believed", () => {
  test("when it is as asked", () => {
    const judged = judge(sample(), undefined, IDLE);
    assert.deepEqual(judged.faults, []);
    assert.ok(judged.ks !== null && judged.ks < 0.03);
    assert.equal(judged.asked.sd.toFixed(0), "438");
  });

  test("when packets get lost as often as asked", () => {
    const lossy = sample(undefined, { asked: { ...asked, loss: 0.01 }, sent: 1515 });
    assert.equal(faults(lossy), "");
  });
});

test("three stalls of 20 ms among 1500 packets are not taken for jitter", () => {
  let count = 0;
  assert.equal(faults(sample((delay) => (count++ % 500 === 0 ? delay + 20_000 : delay))), "");
});

suite("a network is refused", () => {
  test("that is 150 us too slow", () => {
    assert.match(faults(sample((delay) => delay + 150)), /^the mean is off by 1\d\d us, 84 us are allowed/);
  });

  test("whose jitter is a third too small", () => {
    assert.match(
      faults(sample((delay) => 26_630 + (delay - 26_630) / 1.5)),
      /the sd is 2\d\d us instead of 438 us/,
    );
  });

  test("whose jitter has the right mean and sd, but another shape", () => {
    const random = new Random(3);
    const mirrored = sample(() => 26_630 + 437 * (random.unit() + random.unit() + random.unit() - 1.5) * 2);
    assert.match(faults(mirrored), /the distribution is not the asked one/);
  });

  test("that loses packets nobody asked it to lose", () => {
    assert.match(faults(sample(undefined, { sent: 1501 })), /0\.07 % are lost instead of 0\.00 %/);
  });

  test("that lets packets overtake, unless that was asked for", () => {
    assert.match(faults(sample(undefined, { reordered: 3 })), /3 of 1500 packets were overtaken/);
    assert.equal(faults(sample(undefined, { reordered: 3, ordered: false })), "");
  });

  test("through which nothing comes", () => {
    assert.equal(faults(sample(undefined, { delays: [] })), "nothing arrives");
  });
});
