// lane: works, 1 s
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Duration, milliseconds, seconds } from "../core/time.ts";
import { doubled } from "./retry.ts";

test("a wait doubles up to a minute, and never gets shorter", () => {
  const waits = Array.from({ length: 100 }).reduce<readonly Duration[]>(
    (all) => [...all, doubled(all.at(-1) ?? milliseconds(0))],
    [milliseconds(400)],
  );
  assert.deepEqual(waits.slice(0, 3), [400, 800, 1600].map(milliseconds));
  assert.equal(waits.at(-1), seconds(60));
  assert.equal(doubled(seconds(90)), seconds(90));
});
