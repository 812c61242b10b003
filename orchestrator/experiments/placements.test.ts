// lane: works, 6 s
// Servers placed at random, a dozen of those that `make placements` tries by the thousand.
import assert from "node:assert/strict";
import test from "node:test";
import { placement } from "./placement.ts";
import { isAsDemanded, place } from "./placements.ts";

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

test("wherever servers are, they form, elect one of the best, and serve every site as physics allows", () => {
  const wrong = SEEDS.map(place).filter((placed) => !isAsDemanded(placed));
  assert.deepEqual(
    wrong.map(({ seed, exceeds }) => `${seed}: ${[...exceeds.values()].join("; ")}`),
    [],
  );
});

test("a seed is a plan, and another seed another", () => {
  const sentence = (seed: number): string => {
    const { topology, subject } = placement(seed);
    const sites = [...topology.sites.values()].map(({ name, servers, load }) =>
      [name, ...servers, load].join(" "),
    );
    return [...sites, subject.oracle.name, subject.firstLeader].join("; ");
  };
  assert.equal(sentence(7), sentence(7));
  assert.equal(new Set(SEEDS.map(sentence)).size, SEEDS.length);
});
