import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../core/identity.ts";
import { round } from "../core/score.ts";
import { type Instant, instant } from "../core/time.ts";
import { epoch, ZERO } from "../core/zxid.ts";
import { candidate } from "../telemetry/facts.ts";
import { Story } from "./story.ts";

const ms = (value: number): Instant => instant(value * 1e3);

function recorded(): { story: Story; lines: string[]; fields: object[] } {
  const lines: string[] = [];
  const fields: object[] = [];
  const at = (level: string) => (values: object, message: string) => {
    lines.push(`${level}: ${message}`);
    fields.push(values);
  };
  return { story: new Story({ debug: at("debug"), info: at("info"), warn: at("warn") }), lines, fields };
}

test("an election reads as a story, with what each phase took", () => {
  const { story, lines, fields } = recorded();
  const leader = serverId(3);
  story.replica({ kind: "lost", leader: serverId(1), reason: "the leader cannot be reached" }, ms(100));
  story.replica({ kind: "looking", reason: "the leader cannot be reached" }, ms(100));
  const facts = candidate(round(2), [41.5], { meanRttMs: 41.4999 });
  story.replica({ kind: "observed", election: "pole", facts }, ms(100));
  story.replica({ kind: "elected", leader, round: round(2) }, ms(140));
  story.replica({ kind: "discovered", epoch: epoch(5), newest: leader, lastZxid: ZERO }, ms(151.5));
  story.replica({ kind: "serving", leader, epoch: epoch(5) }, ms(160));
  assert.deepEqual(lines, [
    "warn: has lost p1 as its leader: the leader cannot be reached",
    "info: looks for a leader: the leader cannot be reached",
    "info: round 2: proposes itself with score [41.5] (meanRttMs 41.5)",
    "info: round 2: p3 is elected",
    "info: epoch 5 begins; p3 has the newest history, up to 0x0",
    "info: serves under p3 in epoch 5, 60 ms after it began to look: " +
      "election 40, discovery 11.5, synchronization 8.5",
  ]);
  assert.deepEqual(fields.at(-1), {
    event: "serving",
    leader: 3,
    epoch: 5,
    tookMs: 60,
    phasesMs: { election: 40, discovery: 11.5, synchronization: 8.5 },
  });
});

test("what a crash left behind is told when the server starts", () => {
  const { story, lines } = recorded();
  story.host({ kind: "recovered", transactions: 12, cut: 300 });
  assert.deepEqual(lines, [
    "info: remembers 12 transactions after its snapshot; " +
      "cut off 300 bytes of a write that a crash interrupted",
  ]);
});
