import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { Pace } from "./pace.ts";

/** Wakes it so many times, each time so late; when the last was. */
function wake(pace: Pace, times: number, late: number): number {
  let now = 0;
  for (let turn = 0; turn < times; turn++) {
    const target = pace.wakeAt(now + 1000);
    pace.woke(now, target, target + late, false);
    now = target + late;
  }
  return now;
}

/** A second of so many packets, each with a look of its own. */
function carry(pace: Pace, packets: number): void {
  for (let packet = 1; packet <= packets; packet++) {
    const now = (packet * 1e6) / packets;
    pace.woke(now - 10, now + 1000, now, true);
    pace.collected(1);
  }
}

suite("waking in time", () => {
  test("who is woken late asks for it sooner", () => {
    const pace = new Pace(false);
    wake(pace, 100, 40);
    assert.ok(Math.abs(pace.wakeAt(1000) - 960) <= 1, `${pace.wakeAt(1000)}`);
  });

  test("so soon that nine of ten are in time, and nothing is delivered early", () => {
    const pace = new Pace(false);
    for (let turn = 0; turn < 200; turn++) for (let late = 1; late <= 20; late++) wake(pace, 1, late);
    assert.ok(Math.abs(pace.wakeAt(1000) - 982) <= 2, `${pace.wakeAt(1000)}`);
    assert.equal(pace.lead, 0);
  });

  test("when others keep the processor awake it learns that too", () => {
    const pace = new Pace(false);
    wake(pace, 100, 40);
    wake(pace, 1000, 3);
    assert.ok(Math.abs(pace.wakeAt(1000) - 997) <= 1, `${pace.wakeAt(1000)}`);
  });

  test("a stall of milliseconds moves it no more than any late wake-up", () => {
    const pace = new Pace(false);
    wake(pace, 1000, 10);
    wake(pace, 1, 50_000);
    assert.ok(pace.wakeAt(1000) >= 988, `${pace.wakeAt(1000)}`);
  });

  test("the precise mode is awake long before anything is due", () => {
    const pace = new Pace(true);
    wake(pace, 100, 10);
    assert.ok(pace.wakeAt(1000) < 960);
    assert.equal(pace.lead, 0);
  });
});

suite("dating what has arrived", () => {
  test("what woke it came a wake-up ago", () => {
    const pace = new Pace(false);
    const before = wake(pace, 100, 30);
    pace.woke(before, before + 5000, before + 700, true);
    assert.ok(Math.abs(pace.arrived - (before + 670)) <= 1);
  });

  test("what was there already came at any time since the last look", () => {
    const pace = new Pace(false);
    const before = wake(pace, 100, 30);
    pace.woke(before + 80, before + 5000, before + 82, true);
    assert.equal(pace.arrived, before + 41);
  });

  test("no packet is dated before those of the last look", () => {
    const pace = new Pace(false);
    const before = wake(pace, 100, 30);
    pace.woke(before + 2, before + 5000, before + 12, true);
    assert.equal(pace.arrived, before);
  });
});

suite("naps", () => {
  for (const [packets, least, most] of [
    [7500, 0, 0],
    [10_500, 100, 150],
    [16_500, 250, 250],
  ] as const) {
    test(`at ${packets} packets a second nobody looks for ${least} to ${most} us`, () => {
      const pace = new Pace(false);
      carry(pace, packets);
      assert.ok(pace.nap >= least && pace.nap <= most, `${pace.nap}`);
    });
  }

  test("they end as soon as the traffic does", () => {
    const pace = new Pace(false);
    carry(pace, 100_000);
    pace.woke(1e6, 1.1e6, 1.1e6, false);
    pace.collected(0);
    assert.equal(pace.nap, 0);
  });

  test("the precise mode takes none", () => {
    const pace = new Pace(true);
    carry(pace, 100_000);
    assert.equal(pace.nap, 0);
  });
});
