// lane: works, 4 s
// Leaders die by the end of their session, again and again: killed, or cut off while they go on. What is
// fenced takes no write of an earlier term after one of a later, and two never act for longer than a session
// lasts. KILLS=1000 for a long look.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type MemberId, memberId } from "#node/core/identity.ts";
import { milliseconds as ms, seconds } from "#node/core/time.ts";
import { PriorityWorld, SESSION } from "#node/testing/election/priority/priority-world.ts";
import { judgeLeadership } from "./leadership.ts";

const KILLS = Number(process.env["KILLS"] ?? 20);
/** In one world, whose history grows. */
const AT_ONCE = 50;

/** Kills so many leaders of a world; how many fenced writes were taken and turned away. */
function killed(count: number, seed: number): { taken: number; refused: number } {
  const world = new PriorityWorld({ members: 4, seed, pace: ms(50) });
  for (let kill = 0; kill < count; kill++) {
    const [name = assert.fail("nobody leads")] = world.acting;
    const leader: MemberId = memberId(Number(name.slice(1)));
    if (kill % 2 === 0) world.kill(leader);
    else world.service.cut.add(name);
    world.pass(seconds(7));
    assert.equal(world.acting.length, 1, `seed ${seed}, after kill ${kill + 1}`);
    assert.notEqual(world.acting[0], name);
    if (kill % 2 === 0) world.start(leader);
    else world.service.heal(name);
    world.pass(seconds(2));
  }
  assert.deepEqual(judgeLeadership(world.history), [], `seed ${seed}`);
  assert.ok(longestOverlap(world) <= SESSION / 1e3, `seed ${seed}`);
  const writes = world.history.filter((each) => each.kind === "wrote");
  const taken = writes.filter(({ isTaken }) => isTaken).length;
  return { taken, refused: writes.length - taken };
}

/** For how long two acted at once, at worst, in milliseconds. */
function longestOverlap({ history }: PriorityWorld): number {
  const acting = new Map<string, number>();
  let longest = 0;
  for (const each of history) {
    if (each.kind === "acts") acting.set(each.member, each.at);
    if (each.kind !== "rests") continue;
    const from = acting.get(each.member) ?? each.at;
    acting.delete(each.member);
    for (const since of acting.values()) longest = Math.max(longest, each.at - Math.max(from, since));
  }
  return longest;
}

test(`${KILLS} leaders die, and no two fenced writes interleave`, () => {
  let [taken, left, seed] = [0, KILLS, 0];
  while (left > 0) {
    taken += killed(Math.min(left, AT_ONCE), ++seed).taken;
    left -= AT_ONCE;
  }
  assert.ok(taken > 10 * KILLS, String(taken));
});
