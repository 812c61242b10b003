import assert from "node:assert/strict";
import test from "node:test";
import { isSteady } from "./steadiness.ts";

test("a rate that still rises is not steady, one that has stopped rising is", () => {
  const rising = [100, 200, 300, 400, 500, 600, 700, 800];
  assert.equal(isSteady(rising), false);
  assert.equal(isSteady([...rising, 800, 802, 799, 801, 800, 798, 803, 800]), true);
});

test("one that falls is as unsteady as one that rises", () => {
  assert.equal(isSteady([900, 880, 860, 840, 700, 680, 660, 640]), false);
});

test("scatter without a trend is steady, and a trend as large as the scatter is not excused by it", () => {
  assert.equal(isSteady([1000, 900, 1100, 950, 1050, 920, 1080, 1000]), true);
  assert.equal(isSteady([970, 975, 972, 974, 1030, 1028, 1031, 1029]), false);
  assert.equal(isSteady([1000, 200, 900, 300, 1400, 600, 1500, 700]), false);
});

test("nothing that was answered, and too little that was looked at, are not steady", () => {
  assert.equal(isSteady([0, 0, 0, 0, 0, 0, 0, 0]), false);
  assert.equal(isSteady([800, 800, 800, 800]), false);
});
