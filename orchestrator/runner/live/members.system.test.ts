// lane: quiet, 30 s: members that begin late are told as members that differ
// An election by itself on real processes: measured and judged as in virtual time.
import assert from "node:assert/strict";
import test from "node:test";
import { conclude } from "../../measure/conclude.ts";
import { type MembersFlags, planMembers } from "../../plan/members-flags.ts";
import { runElectionLive, runElectionSeries } from "./members.ts";

const OPTIONS = { command: "members.system.test", signal: new AbortController().signal };
const TIMES = { announce: "500ms", listen: "1750ms", suppress: "250ms" };

const live = (flags: MembersFlags) => runElectionLive(planMembers({ ...TIMES, ...flags }, "netns"), OPTIONS);

test("four elect, the leader dies, the next leads, and who comes back leads again", async (t) => {
  const fault = ["3s crash leader", "8s restart crashed"];
  const { measures, verdict } = conclude(await live({ members: "4", duration: "12s", fault }));
  assert.equal(verdict.judgement, "valid", JSON.stringify(verdict.findings));
  const { disturbances, messages } = measures;
  assert.deepEqual(
    disturbances.map(({ what, leader }) => [what, leader]),
    [
      ["the beginning", 4],
      ["crash leader", 3],
      ["restart crashed", 4],
    ],
  );
  for (const { what, agreedMs, latchedMs } of disturbances)
    t.diagnostic(`${what}: agreed after ${agreedMs} ms, latched after ${latchedMs} ms`);
  // Nobody alive leads before the last heartbeat is so old.
  assert.ok((disturbances[1]?.agreedMs ?? 0) > 1250);
  assert.ok(messages.firstRound >= 1 && messages.sent > 10);
});

test("repetitions are lives of the same members, each begun together and a run of its own", async () => {
  const plan = planMembers({ ...TIMES, members: "4", duration: "1500ms" }, "netns");
  const runs = await runElectionSeries(plan, OPTIONS, 3);
  assert.deepEqual(
    runs.map(({ plan: { seed } }) => seed),
    [1, 2, 3],
  );
  for (const { events, ...run } of runs) {
    const begun = events.filter(({ event }) => event === "begun").map(({ at }) => at);
    assert.equal(begun.length, 4);
    assert.ok(Math.max(...begun) < 200e3, `begun at ${begun.join(", ")}`);
    const { disturbances, messages } = conclude({ ...run, events }).measures;
    assert.equal(disturbances[0]?.leader, 4);
    assert.ok(messages.sent >= 1);
  }
  const silences = runs.map(({ events }) => JSON.stringify(events.map(({ at }) => at)));
  assert.equal(new Set(silences).size, 3, "each life draws its own silences");
});
