import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { instant, milliseconds } from "../../core/time.ts";
import type { Clock } from "./clock.ts";
import { Timers } from "./timers.ts";

/** Timers on a clock that the story moves; `answer` is what is done when one fires. */
function staged(answer: (timers: Timers<string>, timer: string) => void = () => {}) {
  mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  const fired: string[] = [];
  const clock = { now: () => instant(now * 1e3) } as Clock;
  const timers: Timers<string> = new Timers(clock, (timer) => {
    fired.push(`${now} ${timer}`);
    answer(timers, timer);
  });
  const pass = (ms: number): void => {
    for (let tick = 0; tick < ms; tick++) {
      now += 1;
      mock.timers.tick(1);
    }
  };
  return { timers, fired, pass };
}

test("timers fire when they are due, and only once", (t) => {
  t.after(() => mock.timers.reset());
  const { timers, fired, pass } = staged();
  timers.arm("b", milliseconds(20));
  timers.arm("a", milliseconds(10));
  pass(50);
  assert.deepEqual(fired, ["10 a", "20 b"]);
});

test("one that arms itself anew far ahead does not hold up one that is due before", (t) => {
  t.after(() => mock.timers.reset());
  const { timers, fired, pass } = staged((all, timer) => {
    if (timer === "slow") all.arm("slow", milliseconds(1000));
  });
  timers.arm("slow", milliseconds(10));
  timers.arm("soon", milliseconds(15));
  pass(30);
  assert.deepEqual(fired, ["10 slow", "15 soon"]);
});

test("of two that are due together the first may call off the second", (t) => {
  t.after(() => mock.timers.reset());
  const { timers, fired, pass } = staged((all) => all.disarm("b"));
  timers.arm("a", milliseconds(10));
  timers.arm("b", milliseconds(10));
  pass(30);
  assert.deepEqual(fired, ["10 a"]);
});

test("a time that began to run earlier is over earlier, and one that is over already fires once", (t) => {
  t.after(() => mock.timers.reset());
  const { timers, fired, pass } = staged();
  pass(10);
  timers.arm("a", milliseconds(10), instant(7e3));
  pass(20);
  timers.arm("b", milliseconds(10), instant(0));
  pass(20);
  assert.deepEqual(fired, ["17 a", "31 b"]);
});
