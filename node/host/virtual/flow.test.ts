import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { Flow } from "./flow.ts";

const INITIAL = 14_480;
const ROUND_TRIP = 10_000;
const flow = (most = 3 * 2 ** 20): Flow => new Flow({ initial: INITIAL, most });

suite("a connection with a congestion window", () => {
  test("sends ten segments at once", () => {
    assert.equal(flow().leave(5, INITIAL, ROUND_TRIP), 5);
  });

  test("doubles each round trip what it has under way, until the receiver's buffer is full", () => {
    const roundTrips = (bytes: number, most?: number): number =>
      flow(most).leave(0, bytes, ROUND_TRIP) / ROUND_TRIP;
    assert.deepEqual(
      [1, 2, 3, 4, 7, 8, 15, 16].map((windows) => roundTrips(windows * INITIAL)),
      [0, 1, 1, 2, 2, 3, 3, 4],
    );
    assert.equal(roundTrips(8 * INITIAL, 2 * INITIAL), 4);
  });

  test("doubles whatever the pieces that it is given", () => {
    const pieces = flow();
    const leaves = Array.from({ length: 7 }, () => pieces.leave(0, 0.95 * INITIAL, ROUND_TRIP) / ROUND_TRIP);
    assert.deepEqual(leaves, [0, 1, 1, 2, 2, 2, 2]);
  });

  test("keeps what it has learned while it is used, and forgets it in silence", () => {
    const learned = flow();
    const at = learned.leave(0, 15 * INITIAL, ROUND_TRIP);
    assert.equal(learned.leave(at + ROUND_TRIP, 8 * INITIAL, ROUND_TRIP), at + ROUND_TRIP);
    const later = at + 60e6;
    assert.equal(learned.leave(later, 2 * INITIAL, ROUND_TRIP), later + ROUND_TRIP);
  });

  test("does not grow by a trickle", () => {
    const trickle = flow();
    for (let at = 0; at < 1e6; at += 1000) trickle.leave(at, 100, ROUND_TRIP);
    assert.equal(trickle.leave(2e6, 2 * INITIAL, ROUND_TRIP), 2e6 + ROUND_TRIP);
  });
});
