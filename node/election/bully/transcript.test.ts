// Elections as stories to read: testdata/*.txt. `make unit FILTER=transcript UPDATE=1` writes them anew.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ensemble, serverId } from "../../core/identity.ts";
import { milliseconds } from "../../core/time.ts";
import { sayBully } from "../../testing/election/bully/say.ts";
import { outcomeOf } from "../../testing/election/peer-cast.ts";
import { Rehearsal } from "../../testing/election/rehearsal.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { bully } from "./entry.ts";
import type { BullySays } from "./message.ts";

const ms = milliseconds;
const [p1, p2, p3, p4] = [serverId(1), serverId(2), serverId(3), serverId(4)];
const servers = ensemble([1, 2, 3, 4]);

const rehearse = (byScore: boolean, knownDown = true): Rehearsal<BullySays> =>
  new Rehearsal<BullySays>({
    say: sayBully,
    servers,
    delay: (a, b) => ms(a === p4 || b === p4 ? 20 : 5),
    enter: (self) =>
      bully.create(
        { self, servers, judge: scripted({ score: 10 * self }), mutant: null },
        { byScore, knownDown, answerTimeout: ms(200), coordinatorTimeout: ms(400) },
      ),
  });

const stage = `Four servers. One way between p1, p2 and p3 5 ms, to p4 20 ms.
Answers are waited for 200 ms, the coordinator 400 ms. Times in ms.`;

function record(t: TestContext, play: Rehearsal<BullySays>, file: string): void {
  const text = `${t.name}\n\n${stage}\n\n${play.transcript}`;
  t.assert.fileSnapshot(text, join(import.meta.dirname, "testdata", file), {
    serializers: [(written: string) => written],
  });
}

test("by id, as in the lecture: p4 dies, p1 notices first, and p3 leads", (t) => {
  const play = rehearse(false).enter(ms(0), p1, p2, p3, p4).crash(ms(1), p4);
  play.elect(ms(100), p1).play(ms(1000));
  assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3"]);
  record(t, play, "the-greatest-dies.txt");
});

test("by id and to the letter: the dead p4 is asked, and its answer waited for", (t) => {
  const play = rehearse(false, false).enter(ms(0), p1, p2, p3, p4).crash(ms(1), p4);
  play.elect(ms(100), p1).play(ms(1000));
  assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3"]);
  record(t, play, "to-the-letter.txt");
});

test("by score: everybody is asked, who is less yields, and who has all answers leads", (t) => {
  const play = rehearse(true).enter(ms(0), p1, p2, p3, p4).crash(ms(1), p4);
  play.elect(ms(100), p1).play(ms(1000));
  assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3"]);
  record(t, play, "by-score.txt");
});

test("the one that would lead dies too: two of four elect nobody until one is back", (t) => {
  const play = rehearse(false).enter(ms(0), p1, p2, p3, p4).crash(ms(1), p4);
  play.elect(ms(100), p2).crash(ms(104), p3).play(ms(2000));
  assert.equal(play.elected.get(p2), undefined, "two of four are no quorum");
  play.start(ms(2500), p3).play(ms(6000));
  assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3"]);
  record(t, play, "too-few-until-one-is-back.txt");
});

test("p4 is back: it takes itself for the leader, hears whom the others follow, and follows too", (t) => {
  const play = rehearse(false).start(ms(0), p1, p2, p3).start(ms(500), p4).play(ms(2000));
  assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3", "p4: p3"]);
  record(t, play, "nobody-bullies-on-recovery.txt");
});
