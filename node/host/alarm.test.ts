import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { after, milliseconds } from "../core/time.ts";
import { monotonic } from "./monotonic.ts";
import { Alarm } from "./alarm.ts";

interface Listening {
  readonly alarm: Alarm;
  /** When it rang. */
  readonly rings: readonly number[];
  readonly untilRung: (count: number) => Promise<void>;
}

async function listening(): Promise<Listening> {
  const rings: number[] = [];
  const alarm = await Alarm.open(() => rings.push(monotonic()));
  const untilRung = async (count: number): Promise<void> => {
    const end = Date.now() + 20_000;
    while (rings.length < count) {
      assert.ok(Date.now() < end, `it rang ${rings.length} times in 20 s`);
      await sleep(2);
    }
  };
  return { alarm, rings, untilRung };
}

test("an alarm that is not set is silent; a set one rings once, and not before its instant", async () => {
  const { alarm, rings, untilRung } = await listening();
  await sleep(20);
  assert.equal(rings.length, 0);
  const due = after(monotonic(), milliseconds(10.3));
  alarm.set(due);
  await untilRung(1);
  await sleep(30);
  assert.equal(rings.length, 1);
  assert.ok((rings[0] ?? 0) >= due);
  await alarm.close();
});

test("it can be set to an earlier instant, to a later one, and not at all", async () => {
  const { alarm, rings, untilRung } = await listening();
  alarm.set(after(monotonic(), milliseconds(60_000)));
  alarm.set(monotonic());
  await untilRung(1);
  const later = after(monotonic(), milliseconds(40));
  alarm.set(after(monotonic(), milliseconds(30_000)));
  alarm.set(later);
  await untilRung(2);
  assert.ok((rings[1] ?? 0) >= later);
  alarm.set(after(monotonic(), milliseconds(30)));
  alarm.clear();
  await sleep(80);
  assert.equal(rings.length, 2);
  await alarm.close();
});
