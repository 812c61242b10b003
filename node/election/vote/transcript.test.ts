// Elections as stories to read: testdata/*.txt. `make unit FILTER=transcript UPDATE=1` writes them anew.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ensemble, serverId } from "../../core/identity.ts";
import { type Duration, milliseconds } from "../../core/time.ts";
import { outcomeOf } from "../../testing/election/peer-cast.ts";
import { Rehearsal } from "../../testing/election/rehearsal.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { sayVote } from "../../testing/election/vote/say.ts";
import { vote } from "./entry.ts";
import type { MajoritySays } from "./message.ts";

const ms = milliseconds;
const [p1, p2, p3, p4] = [serverId(1), serverId(2), serverId(3), serverId(4)];
const servers = ensemble([1, 2, 3, 4]);

const USUAL = {
  ranked: true,
  sitOut: ms(200),
  leaderWait: ms(300),
  waitForAll: false,
  lease: ms(0),
  promise: ms(1000),
  drift: 0,
};

const rehearse = (standDelay: Duration): Rehearsal<MajoritySays> =>
  new Rehearsal<MajoritySays>({
    say: sayVote,
    servers,
    delay: (a, b) => ms(a === p1 || b === p1 ? 20 : 5),
    enter: (self) =>
      vote.create(
        { self, servers, judge: scripted({ score: 10 * self }), mutant: null },
        { ...USUAL, standDelay },
      ),
  });

const stage = `Four servers, a greater id scores better. One way between p2, p3 and p4 5 ms, to p1 20 ms.
Who starts sits out for 200 ms. Times in ms.`;

function record(t: TestContext, play: Rehearsal<MajoritySays>, file: string): void {
  const text = `${t.name}\n\n${stage}\n\n${play.transcript}`;
  t.assert.fileSnapshot(text, join(import.meta.dirname, "testdata", file), {
    serializers: [(written: string) => written],
  });
}

test("one stands, all vote for it, and it informs everyone", (t) => {
  const play = rehearse(ms(50)).enter(ms(0), p1, p2, p3, p4).elect(ms(300), p4).play(ms(1000));
  assert.deepEqual(outcomeOf(play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
  record(t, play, "one-candidate.txt");
});

test("first come: all vote for themselves, until chance lets one be first", (t) => {
  const play = rehearse(ms(0)).enter(ms(0), p1, p2, p3, p4).elect(ms(300), p1, p2, p3, p4).play(ms(3000));
  const leaders = new Set([...play.elected.values()].map(({ leader }) => leader));
  assert.deepEqual([leaders.size, play.elected.size], [1, 4]);
  record(t, play, "votes-divided.txt");
});

test("the leader dies, and by rank the next stands first", (t) => {
  const play = rehearse(ms(50)).enter(ms(0), p1, p2, p3, p4).elect(ms(300), p4).crash(ms(1000), p4);
  play.play(ms(2000));
  assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3"]);
  record(t, play, "by-rank.txt");
});

test("one that was away comes back: it sits out, asks whom the others follow, and follows", (t) => {
  const play = rehearse(ms(50)).enter(ms(0), p1, p2, p3).elect(ms(300), p3).start(ms(1000), p4);
  play.play(ms(3000));
  assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3", "p4: p3"]);
  record(t, play, "late-joiner.txt");
});
