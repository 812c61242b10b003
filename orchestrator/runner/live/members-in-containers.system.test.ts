// lane: waits, 30 s, with docker
import assert from "node:assert/strict";
import test from "node:test";
import { conclude } from "../../measure/conclude.ts";
import { planMembers } from "../../plan/members-flags.ts";
import { useDaemon } from "../../testing/suite-fixtures.ts";
import { runElectionLive } from "./members.ts";

test("members of a group elect in containers, each a machine of the group's network", async () => {
  await using _ = await useDaemon();
  const times = { announce: "500ms", listen: "1750ms", suppress: "250ms" };
  const plan = planMembers({ ...times, members: "3", duration: "3s" }, "docker");
  const options = { command: "test", signal: new AbortController().signal };
  const { measures } = conclude(await runElectionLive(plan, options));
  const [beginning] = measures.disturbances;
  assert.deepEqual([beginning?.what, beginning?.leader], ["the beginning", 3]);
  assert.ok(measures.messages.sent > 3);
});
