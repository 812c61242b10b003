import { equal, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../core/random.ts";
import { type Duration, type Instant, microseconds, milliseconds, seconds } from "../../core/time.ts";
import { Clock } from "./clock.ts";
import { type Distribution, drawDelay, sendingTime } from "./link.ts";

/** Mean, standard deviation and extremes of many draws, as shares of the base delay. */
function drawn(distribution: Distribution, jitter: number) {
  const random = new Random(1);
  const delay = milliseconds(50);
  const draws = Array.from(
    { length: 50_000 },
    () => drawDelay({ delay, jitter, distribution }, random) / delay,
  );
  const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
  const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length;
  return { mean, deviation: Math.sqrt(variance), least: Math.min(...draws), most: Math.max(...draws) };
}

const near = (found: number, expected: number): void =>
  ok(Math.abs(found - expected) < 0.005, `${found} where about ${expected} was expected`);

test("none: always the delay", () => {
  const { least, most } = drawn("none", 0.1);
  equal(least, 1);
  equal(most, 1);
});

test("normal: mean d, standard deviation j d", () => {
  const { mean, deviation } = drawn("normal", 0.1);
  near(mean, 1);
  near(deviation, 0.1);
  equal(drawn("normal", 5).least, 0, "never below zero");
});

test("uniform: between (1 - j) d and (1 + j) d", () => {
  const { mean, least, most } = drawn("uniform", 0.1);
  near(mean, 1);
  near(least, 0.9);
  near(most, 1.1);
});

test("pareto: never below d, mean (1 + j) d, now and then very late", () => {
  const { mean, least, most } = drawn("pareto", 0.1);
  near(least, 1);
  near(mean, 1.1);
  ok(most > 2);
});

test("two percent of normal jitter when nothing is said", () => {
  const random = new Random(1);
  const draws = Array.from({ length: 1000 }, () => drawDelay({ delay: milliseconds(50) }, random));
  ok(draws.some((draw) => draw !== milliseconds(50)));
  ok(draws.every((draw) => Math.abs(draw - milliseconds(50)) < milliseconds(50) * 0.02 * 5));
});

test("bulk takes time on a link with a rate", () => {
  equal(sendingTime({ delay: 0 as Duration, bytesPerSecond: 1e6 }, 500), microseconds(500));
  equal(sendingTime({ delay: 0 as Duration }, 500), 0);
});

test("a clock gains what its drift says, and a timer by it is never early nor later than need be", () => {
  const clock = new Clock({ offset: seconds(3), drift: 200 });
  equal(clock.read(0 as Instant), seconds(3));
  equal(clock.read(seconds(10) as number as Instant), seconds(13) + 2000);
  for (const drift of [-200, -0.3, 0, 17, 200]) {
    const drifting = new Clock({ offset: seconds(1), drift });
    for (const reading of [1_000_000, 1_000_001, 1_777_777, 123_456_789]) {
      const due = drifting.when(reading as Instant);
      ok(drifting.read(due) >= reading);
      ok(due === 0 || drifting.read((due - 1) as Instant) < reading);
    }
  }
});

test("a clock is not asked for what it never shows: beyond whole numbers time would stand still", () => {
  const clock = new Clock({ offset: seconds(3), drift: 200 });
  for (const never of [2 ** 53, Infinity, Number.NaN])
    throws(() => clock.when(never as Instant), /no clock ever shows/);
});
