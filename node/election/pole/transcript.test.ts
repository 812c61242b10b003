// Elections as stories to read: testdata/*.txt. `make unit FILTER=transcript UPDATE=1` writes them anew.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ensemble, serverId } from "../../core/identity.ts";
import { type Duration, milliseconds } from "../../core/time.ts";
import type { PoleMessage } from "./message.ts";
import { PoleElection } from "./pole.ts";
import { type Cast, Rehearsal } from "../../testing/election/rehearsal.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { sayPole } from "../../testing/election/pole/say.ts";

const ms = milliseconds;
const [p1, p2, p3] = [serverId(1), serverId(2), serverId(3)];
const scores = new Map([
  [p1, 10],
  [p2, 20],
  [p3, 30],
]);

/** p1 and p2 are 5 ms apart, p3 is 20 ms away from both. */
const delay: Cast<PoleMessage>["delay"] = (a, b): Duration => ms(a === p3 || b === p3 ? 20 : 5);

const cast = (knownDown = true): Cast<PoleMessage> => ({
  say: sayPole,
  servers: ensemble([1, 2, 3]),
  delay,
  enter: (self) =>
    new PoleElection({
      self,
      servers: ensemble([1, 2, 3]),
      judge: scripted({ score: scores.get(self) ?? 0 }),
      knownDown,
    }),
});

const stage = `Three servers, p1 scores 10, p2 scores 20, p3 scores 30; more is better. T = 200 ms.
One way p1-p2 5 ms, p1-p3 and p2-p3 20 ms. P: proposal, V: vote. Times in ms.`;

function record(t: TestContext, play: Rehearsal<PoleMessage>, file: string): void {
  const text = `${t.name}\n\n${stage}\n\n${play.transcript}`;
  t.assert.fileSnapshot(text, join(import.meta.dirname, "testdata", file), {
    serializers: [(written: string) => written],
  });
}

const outcome = (play: Rehearsal<PoleMessage>) =>
  [...play.elected].map(([server, { leader }]) => `p${server} elects p${leader}`).sort();

test("an election without faults: everybody elects the best score", (t) => {
  const play = new Rehearsal(cast()).start(ms(0), p1, p2, p3).play(ms(1000));
  assert.deepEqual(outcome(play), ["p1 elects p3", "p2 elects p3", "p3 elects p3"]);
  record(t, play, "without-faults.txt");
});

test("the best candidate dies after it proposed: elected, found dead, and replaced", (t) => {
  const play = new Rehearsal(cast()).start(ms(0), p1, p2, p3).crash(ms(1), p3).play(ms(1000));
  assert.deepEqual(outcome(play), ["p1 elects p2", "p2 elects p2"]);
  record(t, play, "best-dies-after-proposing.txt");
});

test("a late joiner follows the leader that the others have, though it would score better", (t) => {
  const play = new Rehearsal(cast()).start(ms(0), p1, p2).start(ms(500), p3).play(ms(2000));
  assert.deepEqual(outcome(play), ["p1 elects p2", "p2 elects p2", "p3 elects p2"]);
  record(t, play, "late-joiner.txt");
});

test("a stale leader comes back: it asks, is outvoted, and follows", (t) => {
  const play = new Rehearsal(cast())
    .start(ms(0), p1, p2, p3)
    .isolate(ms(300), p3)
    .elect(ms(400), p1, p2)
    .rejoin(ms(1000), p3)
    // Its followers are gone, so its service gives up leading.
    .elect(ms(1010), p3)
    .play(ms(2000));
  assert.deepEqual(outcome(play), ["p1 elects p2", "p2 elects p2", "p3 elects p2"]);
  record(t, play, "stale-leader-returns.txt");
});
