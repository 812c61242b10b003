// lane: works, 10 s
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mutant } from "../../core/mutant.ts";
import { liveAmongServers, liveThroughWorld } from "./run.ts";
import { allOf, reducedTo, shrink } from "./shrink.ts";
import { drawServerWorld } from "./world.ts";

test("the same seed is the same run, byte for byte", async () => {
  for (const seed of [1, 4]) {
    const first = await liveAmongServers(seed);
    const second = await liveAmongServers(seed);
    assert.equal(first.fingerprint, second.fingerprint);
    assert.deepEqual(first.story, second.story);
    assert.deepEqual(first.reached, second.reached);
  }
});

test("another seed is another world", async () => {
  assert.notEqual((await liveAmongServers(1)).fingerprint, (await liveAmongServers(4)).fingerprint);
});

test("what a run found is not nothing", async () => {
  const { violation, transactions, answers } = await liveAmongServers(1);
  assert.equal(violation, null);
  assert(transactions > 100, `${transactions} transactions`);
  assert(answers > transactions, `${answers} answers`);
});

/** A mistake that the first worlds meet, and what one of them must take it for. */
const CAUGHT: readonly (readonly [Mutant, RegExp])[] = [
  ["acknowledge-before-durable", /which only .* had on disk/],
  ["deliver-before-commit", /which only nobody had on disk/],
  ["snapshot-without-last", /the snapshot on the disk cannot be read/],
  ["reorder-commits", /where p\d had delivered|delivered 0x\w+ after 0x\w+/],
];

for (const [mutant, taken] of CAUGHT) {
  test(`the swarm of servers takes ${mutant} for what it is`, async () => {
    for (let seed = 1; seed <= 40; seed++) {
      if (taken.test((await liveAmongServers(seed, mutant)).violation ?? "")) return;
    }
    assert.fail("nothing was noticed in 40 worlds");
  });
}

test("what broke a promise is shrunk to what it needs, and is broken by that alone", async () => {
  for (let seed = 1; ; seed++) {
    const outcome = await liveAmongServers(seed, "snapshot-without-last");
    const world = drawServerWorld(seed);
    if (outcome.violation === null || world.incidents.length < 2) continue;
    const { kept } = await shrink(world, "snapshot-without-last", outcome);
    const all = allOf(world);
    assert(kept.incidents.length + kept.guests.length < all.incidents.length + all.guests.length);
    const again = await liveThroughWorld(reducedTo(world, kept), "snapshot-without-last");
    assert.notEqual(again.violation, null);
    return;
  }
});
