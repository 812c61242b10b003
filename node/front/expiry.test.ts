// When sessions end, seen from the leader's clock.

import assert from "node:assert/strict";
import { test } from "node:test";
import { instant, milliseconds } from "../core/time.ts";
import { Expiry } from "./expiry.ts";

const at = (ms: number) => instant(ms * 1000);
const begin = () => new Expiry(milliseconds(1000), at(0));

test("a session ends in the tick after its timeout, and not before", () => {
  const expiry = begin();
  expiry.add(7, 2000, at(500));
  assert.deepEqual([...expiry.expired(at(2999))], []);
  assert.deepEqual([...expiry.expired(at(3000))], [7]);
});

test("a sign of life moves the end", () => {
  const expiry = begin();
  expiry.add(7, 2000, at(0));
  expiry.add(8, 2000, at(0));
  expiry.touch(7, at(1500));
  assert.deepEqual([...expiry.expired(at(3000))], [8]);
  expiry.remove(8);
  assert.deepEqual([...expiry.expired(at(4000))], [7]);
});

test("a session that is not ended in spite of being late is named again a tick later", () => {
  const expiry = begin();
  expiry.add(7, 2000, at(0));
  assert.deepEqual([...expiry.expired(at(3000))], [7]);
  assert.deepEqual([...expiry.expired(at(3001))], []);
  assert.deepEqual([...expiry.expired(at(4000))], [7]);
  expiry.remove(7);
  assert.deepEqual([...expiry.expired(at(9000))], []);
  assert.deepEqual(expiry.schedule(), []);
});

test("a clock that jumps ahead ends everybody who is late, once", () => {
  const expiry = begin();
  for (let session = 1; session <= 100; session++) expiry.add(session, 1000 * session, at(0));
  assert.equal([...expiry.expired(at(50_000))].length, 49);
  assert.equal([...expiry.expired(at(50_500))].length, 0);
});

test("of many who are late, those that nobody has asked for yet stay late, unless they are heard", () => {
  const expiry = begin();
  for (let session = 1; session <= 5; session++) expiry.add(session, 2000, at(0));
  const first: number[] = [];
  for (const session of expiry.expired(at(3000))) if (first.push(session) === 2) break;
  assert.deepEqual(first, [1, 2]);
  expiry.touch(3, at(3010));
  assert.deepEqual([...expiry.expired(at(3020))], [4, 5]);
  assert.deepEqual([...expiry.expired(at(4000))], [1, 2, 4, 5]);
});

test("the schedule names who ends when", () => {
  const expiry = begin();
  expiry.add(8, 5000, at(0));
  expiry.add(7, 2000, at(0));
  assert.deepEqual(expiry.schedule(), [
    [at(3000), [7]],
    [at(6000), [8]],
  ]);
});
