// lane: works, 1 s
//
// Elections as stories to read: testdata/*.txt. `make unit FILTER=transcript UPDATE=1` writes them anew.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ensemble, serverId } from "../../core/identity.ts";
import { milliseconds } from "../../core/time.ts";
import { epoch } from "../../core/zxid.ts";
import { sayLe } from "../../testing/election/le/say.ts";
import { outcomeOf } from "../../testing/election/peer-cast.ts";
import { Rehearsal } from "../../testing/election/rehearsal.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { le } from "./entry.ts";
import type { LeMessage } from "./message.ts";

const ms = milliseconds;
const [p1, p2, p3, p4] = [serverId(1), serverId(2), serverId(3), serverId(4)];
const servers = ensemble([1, 2, 3, 4]);

const rehearse = (
  more: { readonly suppress?: number; readonly quorum?: boolean } = {},
): Rehearsal<LeMessage> =>
  new Rehearsal<LeMessage>({
    say: sayLe,
    servers,
    delay: (a, b) => ms(a === p4 || b === p4 ? 20 : 5),
    enter: (self) =>
      le.create(
        { self, servers, judge: scripted({ score: 10 * self }), mutant: null },
        {
          announce: ms(250),
          listen: ms(1000),
          suppress: ms(more.suppress ?? 60),
          mapped: true,
          quorum: more.quorum ?? true,
        },
      ),
  });

const stage = `Four servers. One way between p1, p2 and p3 5 ms, to p4 20 ms.
T_A is 250 ms, T_L 1 s, T_S 60 ms unless told otherwise. Times in ms.`;

function record(t: TestContext, play: Rehearsal<LeMessage>, file: string): void {
  const text = `${t.name}\n\n${stage}\n\n${play.transcript}`;
  t.assert.fileSnapshot(text, join(import.meta.dirname, "testdata", file), {
    serializers: [(written: string) => written],
  });
}

test("p4 speaks at once and leads; it dies, and p3, which all know to be next, speaks at once", (t) => {
  const play = rehearse().start(ms(0), p1, p2, p3, p4).serve(ms(50), p4, epoch(1)).crash(ms(100), p4);
  assert.deepEqual(outcomeOf(play.play(ms(200))), ["p1: p3", "p2: p3", "p3: p3"]);
  record(t, play, "the-leader-dies.txt");
});

test("T_S = 0: all speak at once, and wrong guesses last until the greatest is heard", (t) => {
  const play = rehearse({ suppress: 0 }).start(ms(0), p1, p2, p3, p4);
  assert.deepEqual(outcomeOf(play.play(ms(100))), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
  record(t, play, "all-speak-at-once.txt");
});

test("cut apart two and two, as in the thesis: both halves announce, and Zab lets neither serve", (t) => {
  const play = rehearse({ quorum: false }).start(ms(0), p1, p2, p3, p4).serve(ms(50), p4, epoch(1));
  play.cut(ms(100), [p1, p2], [p3, p4]).elect(ms(130), p3, p4).play(ms(280));
  assert.deepEqual(outcomeOf(play), ["p1: p2", "p2: p2", "p3: p4", "p4: p4"]);
  play.mend(ms(300), [p1, p2], [p3, p4]).play(ms(340));
  assert.deepEqual(outcomeOf(play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
  record(t, play, "both-halves-announce.txt");
});

test("p4 comes back while p3 serves: it claims more, and follows all the same", (t) => {
  const play = rehearse().start(ms(0), p1, p2, p3).serve(ms(40), p3, epoch(1)).start(ms(100), p4);
  assert.deepEqual(outcomeOf(play.play(ms(240))), ["p1: p3", "p2: p3", "p3: p3", "p4: p3"]);
  record(t, play, "who-serves-stays.txt");
});
