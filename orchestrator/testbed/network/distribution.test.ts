import assert from "node:assert/strict";
import test from "node:test";
import { netemTable, normalBelow, QUANTILES, table } from "./distribution.ts";

test("every table has mean 0 and ascends, so that a jitter never moves the mean", () => {
  for (const shape of ["pareto", "normal", "uniform"] as const) {
    const { quantiles } = table(shape);
    assert.equal(quantiles.length, QUANTILES);
    assert.ok(Math.abs(quantiles.reduce((sum, value) => sum + value, 0)) < 1e-6);
    assert.ok(quantiles.every((value, index) => index === 0 || value >= (quantiles[index - 1] ?? 0)));
  }
});

test("netem's Pareto: sd 0.82 scales, median -0.32, 1.07 % of the draws on the cut at 4", () => {
  const { quantiles, sd } = table("pareto");
  assert.ok(Math.abs(sd - 0.82) < 0.001, `sd ${sd}`);
  const mean = -0.0335;
  assert.ok(Math.abs((quantiles[QUANTILES / 2] ?? 0) + mean - -0.32) < 0.001);
  const cut = quantiles.filter((value) => value === quantiles.at(-1)).length;
  assert.ok(Math.abs(cut / QUANTILES - 0.0107) < 0.0003, `${cut}`);
});

test("a normal's scale is its sd, a uniform's is its half-width", () => {
  assert.ok(Math.abs(table("normal").sd - 1) < 0.002);
  assert.ok(Math.abs(table("uniform").sd - 1 / Math.sqrt(3)) < 0.001);
  assert.ok(Math.abs(normalBelow(1.959964) - 0.975) < 1e-6);
});

test("tc gets 4096 whole numbers that fit in 16 bits", () => {
  const [comment = "", ...rows] = netemTable("pareto").trim().split("\n");
  assert.match(comment, /^#/);
  const numbers = rows.join(" ").split(" ").map(Number);
  assert.equal(numbers.length, QUANTILES);
  assert.ok(numbers.every((number) => Number.isInteger(number) && Math.abs(number) <= 32_767));
});
