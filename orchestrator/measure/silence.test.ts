import assert from "node:assert/strict";
import test from "node:test";
import type { WriteOperation } from "../workload/operation.ts";
import { silence } from "./silence.ts";

const FAULT = 10e6;
const END = 20e6;

/** Each acknowledged so many milliseconds after the fault. */
const acknowledged = (...afterMs: readonly number[]): readonly WriteOperation[] =>
  afterMs.map((ms) => ({ outcome: "ok", completed: FAULT + 1e3 * ms }) as WriteOperation);

/** Until the end of the load, each 5 ms. */
const from = (ms: number): readonly number[] =>
  Array.from({ length: (10_000 - ms) / 5 }, (_, index) => ms + 5 * index);

test("a silence is the longest time without an acknowledgement that ended after the fault", () => {
  const operations = acknowledged(-5000, -10, -4, 1, ...from(330));
  assert.deepEqual(silence(operations, FAULT, END), { ms: 329, atLeast: false });
});

test("it begins with the last acknowledgement before the fault, where that is the longest", () => {
  assert.deepEqual(silence(acknowledged(-40, -4, ...from(300)), FAULT, END), { ms: 304, atLeast: false });
});

test("it needs no other leader: a service that stood still and went on was silent, too", () => {
  const operations = acknowledged(-4, 2, 6, 1506, ...from(1510));
  assert.deepEqual(silence(operations, FAULT, END), { ms: 1500, atLeast: false });
});

test("one that lasts until the end of the load is told as at least that", () => {
  assert.deepEqual(silence(acknowledged(-4, 2), FAULT, END), { ms: 9998, atLeast: true });
  assert.equal(silence(acknowledged(30), FAULT, END), null, "nothing is known of when it began");
});

test("what was refused, or never answered, is no acknowledgement", () => {
  const refused = { outcome: "failed", completed: FAULT + 100e3 } as WriteOperation;
  const operations = [...acknowledged(-4, ...from(300)), refused];
  assert.equal(silence(operations, FAULT, END)?.ms, 304);
});
