/** What clients wrote while nobody led does not stand in the way of what it waits for. */

import assert from "node:assert/strict";
import test from "node:test";
import { serving, writesOf } from "../testing/broadcast/story.ts";

test("what waited during an election leaves little by little until the first commit, and then all", () => {
  const world = serving(1, { servers: 3 });
  for (let more = 0; more < 40; more++) world.write(3, 1000);
  const first = world.underWay(3, 1).length;
  assert.ok(first > 0 && first < 12, `${first} kB are under way where acknowledgements come behind`);
  world.settle();
  assert.equal(writesOf(world, 3).length, 40);
  for (let more = 0; more < 40; more++) world.write(3, 1000);
  assert.equal(world.underWay(3, 1).length, 40);
});
