// lane: works, 1 s
// Every event of a replica has its sentence in the story of a run, and the story has its bounds.
import assert from "node:assert/strict";
import test from "node:test";
import { serverId } from "#node/core/identity.ts";
import { round } from "#node/core/score.ts";
import { epoch, zxid } from "#node/core/zxid.ts";
import type { RecordedEvent } from "../../system/system.ts";
import { FAULT, madeRecording } from "../../testing/made-recording.ts";
import { scoreTable, story } from "./story.ts";

const recording = madeRecording();
const [two, three] = [serverId(2), serverId(3)];
const place = zxid(epoch(2), 7);

const EVENTS: readonly (readonly [RecordedEvent["event"], string])[] = [
  [{ kind: "looking", reason: "p5 is gone" }, "knows no leader: p5 is gone"],
  [{ kind: "elected", leader: three, round: round(4) }, "elects p3 in round 4"],
  [{ kind: "serving", leader: three, epoch: epoch(2) }, "serves under p3, epoch 2"],
  [{ kind: "lost", leader: three, reason: "it is silent" }, "follows p3 no more: it is silent"],
  [{ kind: "down", server: two, silent: false, reason: "unreachable" }, "takes p2 for down: unreachable"],
  [{ kind: "up", server: two }, "hears p2 again"],
  [{ kind: "joining", leader: three }, "asks p3 to lead it"],
  [
    { kind: "discovered", epoch: epoch(2), newest: two, lastZxid: place },
    "begins epoch 2; the newest history is p2&#39;s",
  ],
  [{ kind: "pulling", from: two, since: place }, "pulls from p2 what came after 0x200000007"],
  [{ kind: "pulled", from: two, bytes: 99, how: "diff" }, "has pulled 99 bytes from p2 as a diff"],
  [
    { kind: "synchronizing", follower: two, how: "snapshot", from: place },
    "brings p2 level by snapshot from 0x200000007",
  ],
  [{ kind: "synchronized", follower: two, bytes: 77 }, "p2 is level after 77 bytes"],
  [{ kind: "parted", follower: two }, "p2 is led here no longer"],
  [{ kind: "established", epoch: epoch(2), initial: place }, "epoch 2 is established: it leads"],
  [{ kind: "committed", epoch: epoch(2), zxid: place }, "has executed the first write of epoch 2"],
];

/** The rows of the story, cell by cell. */
const rowsOf = (events: readonly RecordedEvent[]): string[] => {
  const page = story({ ...recording, events })?.markup ?? "";
  return [...page.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = ""]) =>
    [...row.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell).join(" | "),
  );
};

test("each event has a sentence, at its moment and by who told it, the fault among them", () => {
  const events = EVENTS.map(([event], index) => ({ at: FAULT + 1500 * (index + 1), server: 4, event }));
  assert.deepEqual(rowsOf(events).slice(1), [
    "0.0 ms | fault | crash leader: p5",
    ...EVENTS.map(([, sentence], index) => `${(1.5 * (index + 1)).toFixed(1)} ms | p4 | ${sentence}`),
  ]);
});

test("a story begins just before the fault and lasts ten seconds, and is silent of what was sent", () => {
  const at = (ms: number): RecordedEvent => ({
    at: FAULT + ms * 1e3,
    server: 1,
    event: { kind: "up", server: two },
  });
  const told = rowsOf([at(-1.01), at(-1), at(9999), at(10_000)]).slice(1);
  assert.deepEqual(
    told.map((row) => row.split(" | ")[0]),
    ["-1.0 ms", "0.0 ms", "9999.0 ms"],
  );
  const checkpoint = { at: FAULT, server: 1, event: { kind: "checkpoint", zxid: place } as const };
  assert.equal(rowsOf([checkpoint]).length, 2);
  assert.equal(story({ ...recording, plan: { ...recording.plan, faults: [] } }), null);
  assert.equal(story({ ...recording, marks: [], events: [] }), null);
});

test("scores stand beside the numbers behind them, also where another has others", () => {
  const candidates = [
    { server: 2, score: [30.5, 2], why: { meanMs: 30.12345, load: 7 } },
    { server: 3, score: [21], why: { meanMs: 21 } },
  ];
  const election = { round: 6, leader: 3, candidates };
  const page = scoreTable(election)?.markup ?? "";
  assert.match(page, />score in round 6<\/th><th scope="col">meanMs<\/th><th scope="col">load</);
  assert.match(page, /<td>p2<\/td><td>30\.5 2<\/td><td>30\.123<\/td><td>7<\/td>/);
  assert.match(page, /<td><strong>p3, elected<\/strong><\/td><td>21<\/td><td>21<\/td><td><\/td>/);
  assert.equal(scoreTable({ ...election, candidates: [] }), null);
});
