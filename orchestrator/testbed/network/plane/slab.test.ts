import assert from "node:assert/strict";
import test from "node:test";
import { LARGEST_PACKET, NO_SLOT, Slab, SLOTS } from "./slab.ts";

test("slots never overlap, and run out only when all are taken", () => {
  const slab = new Slab();
  const taken: [start: number, end: number][] = [];
  for (const length of [100, LARGEST_PACKET]) {
    for (let slot = slab.take(length); slot !== NO_SLOT; slot = slab.take(length)) {
      taken.push([slab.offset(slot), slab.offset(slot) + length]);
    }
  }
  assert.equal(taken.length, SLOTS);
  taken.sort(([a], [b]) => a - b);
  const overlapping = taken.filter(([start], index) => start < (taken[index - 1]?.[1] ?? 0));
  assert.deepEqual(overlapping, []);
  assert.ok((taken.at(-1)?.[1] ?? 0) <= slab.bytes.length);
});

test("a released slot is taken again first, so that its pages stay warm", () => {
  const slab = new Slab();
  const slot = slab.take(60);
  slab.release(slot);
  assert.equal(slab.take(60), slot);
});

test("a copy has the bytes and outlives the original", () => {
  const slab = new Slab();
  const original = slab.take(LARGEST_PACKET);
  slab.length[original] = 3;
  slab.bytes.set([1, 2, 3], slab.offset(original));
  const copy = slab.copy(original);
  slab.bytes.fill(0, slab.offset(original), slab.offset(original) + 3);
  assert.deepEqual([...slab.bytes.subarray(slab.offset(copy), slab.offset(copy) + 3)], [1, 2, 3]);
});
