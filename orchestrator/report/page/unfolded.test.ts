// lane: works, 1 s
import assert from "node:assert/strict";
import test from "node:test";
import { unfolded } from "./unfolded.ts";

const PLACES: Readonly<Record<string, readonly [number, number]>> = {
  a: [0, 0],
  b: [40, 0],
  c: [40, 9],
  d: [7, 9],
  e: [90, 3],
};

test("points of a plane come back as far apart as they were, and the wider way lies across", () => {
  const far = (a: string, b: string): number => {
    const [[x1, y1] = [0, 0], [x2, y2] = [0, 0]] = [PLACES[a], PLACES[b]];
    return Math.hypot(x1 - x2, y1 - y2);
  };
  const names = Object.keys(PLACES);
  const found = unfolded(names, far);
  for (const a of names)
    for (const b of names) {
      const [[x1, y1] = [0, 0], [x2, y2] = [0, 0]] = [found.get(a), found.get(b)];
      const apart = Math.hypot(x1 - x2, y1 - y2);
      assert.ok(Math.abs(apart - far(a, b)) < 0.5, `${a} to ${b}: ${apart} instead of ${far(a, b)}`);
    }
  const spread = (axis: 0 | 1): number => {
    const values = [...found.values()].map((point) => point[axis]);
    return Math.max(...values) - Math.min(...values);
  };
  assert.ok(spread(0) > 4 * spread(1));
});

test("two sites lie side by side", () => {
  const found = unfolded(["a", "b"], () => 30);
  const [[x1, y1] = [0, 0], [x2, y2] = [0, 0]] = [found.get("a"), found.get("b")];
  assert.ok(Math.abs(Math.abs(x1 - x2) - 30) < 1e-6 && Math.abs(y1 - y2) < 1e-6);
});
