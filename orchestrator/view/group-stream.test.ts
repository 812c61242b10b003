// What a page shows of members that elect is what their election was measured to be.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conclude } from "../measure/conclude.ts";
import { agreements } from "../measure/members/beliefs.ts";
import { planMembers } from "../plan/members-flags.ts";
import { simulateElection } from "../runner/virtual/members.ts";
import { GroupStream, groupRecordsOf } from "./group-stream.ts";
import type { StreamRecord } from "./record.ts";
import { guideOf } from "./scene/guide.ts";
import { Scene } from "./scene/scene.ts";
import { painted } from "./scene/spans.ts";

const plan = planMembers(
  { topology: "3dc", members: "6", election: "le-s", duration: "12s", killAt: "6s" },
  "sim",
);
const recording = simulateElection(plan);
const { summary } = conclude(recording);
const records = groupRecordsOf(recording, summary);
const whole = Scene.of(records, Number.POSITIVE_INFINITY);

test("members part when they begin and when their leader dies, and agree as it was measured", () => {
  const [beginning, death] = summary.disturbances;
  const [first, second, ...more] = whole.partings;
  assert.deepEqual(more, []);
  assert.ok(first?.until && second?.until && beginning && death);
  const found = agreements(recording, plan.duration).map(({ leader, from }) => [leader, from]);
  assert.deepEqual(
    [first, second].map(({ on, until }) => [on, until]),
    found,
  );
  assert.equal((second.until - second.from) / 1e3, death.agreedMs);
  assert.equal(second.on, death.leader);
  assert.equal(whole.leader, summary.leader);
});

test("who lives, leads and follows at a moment is what its events say", () => {
  const before = Scene.of(records, 5_999_999);
  const [dead] = recording.marks[0]?.servers ?? [];
  assert.equal(before.leader, dead);
  const roles = (scene: Scene): string[] => [...scene.servers.values()].map(({ role }) => role).sort();
  assert.deepEqual(roles(before), [
    "following",
    "following",
    "following",
    "following",
    "following",
    "leading",
  ]);
  assert.deepEqual(roles(whole), ["down", "following", "following", "following", "following", "leading"]);
  assert.equal(whole.servers.get(dead ?? 0)?.role, "down");
  assert.equal(whole.outage, null, "nobody writes, so nobody is without service");
});

test("announcements are counted in tenths of a second, none of them twice", () => {
  const told = records.flatMap((record) => (record.kind === "traffic" ? [record] : []));
  const count = told.reduce((sum, { sent }) => sum + (sent["election"] ?? 0), 0);
  const all = recording.events.filter(({ event }) => event === "announced").length;
  // Of each member the last bin is not over.
  assert.ok(all - count >= 0 && all - count <= 2 * plan.subject.members.length, `${count} of ${all}`);
});

test("pieces as they become known make the same as the whole", () => {
  const pieces: StreamRecord[] = [];
  const stream = new GroupStream(plan, (record) => pieces.push(record));
  for (let from = 0; from < plan.duration; from += 500_000) {
    const isNow = ({ at }: { readonly at: number }): boolean => at >= from && at < from + 500_000;
    const [events, marks] = [recording.events.filter(isNow), recording.marks.filter(isNow)];
    stream.saw({ events, marks, until: from + 500_000 });
  }
  stream.end(summary);
  const scene = Scene.of(pieces, Number.POSITIVE_INFINITY);
  assert.deepEqual([scene.partings, scene.leader, scene.end], [whole.partings, whole.leader, whole.end]);
});

test("the slider is painted with who led and when they had parted, and a newcomer is guided", () => {
  const { outages, roles, stops } = painted(records);
  assert.equal(outages.length, 2);
  assert.ok(stops.includes(whole.partings[1]?.until ?? -1));
  assert.equal(roles.filter(({ role }) => role === "leading").length >= 2, true);
  const titles = guideOf(records).map(({ title }) => title);
  assert.deepEqual(titles, [
    "They begin",
    `All follow m${whole.partings[0]?.on}`,
    "They part",
    `All follow m${summary.leader}`,
  ]);
});
