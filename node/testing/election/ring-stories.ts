/**
 * What every election of a ring tells of the same troubles: four servers, one that dies with its token under
 * way, one with another's in its hands, a token that is lost, one that comes late, and two that are too few.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type ServerId, serverId } from "../../core/identity.ts";
import { milliseconds as ms } from "../../core/time.ts";
import { rehearse } from "./contest-cast.ts";
import { outcomeOf } from "./peer-cast.ts";

const [p1, p2, p3, p4] = [serverId(1), serverId(2), serverId(3), serverId(4)];

const stage = `Four servers in a ring 1 2 3 4; the score of each is ten times its id, more is better.
One way between any two 10 ms. T2 p3 (30) past p3 p1: a token of round 2 for p3, which p3 and p1 let pass.
E: elected; R: the round is. -> goes on round the ring; "aside" is told one server. Times in ms.`;

const GONE = "the greatest dies when its token has left: what it had stopped is said again, in a new round";

/** `calm` is what it does without faults, in words; `folder` is where its transcripts are. */
export function ringStories(
  entry: Parameters<typeof rehearse>[0]["entry"],
  calm: string,
  folder: string,
): void {
  const play = () =>
    rehearse({ entry, ring: [1, 2, 3, 4], delay: () => ms(10), score: (self: ServerId) => 10 * self });

  function record(t: TestContext, transcript: string, file: string): void {
    const text = `${t.name}\n\n${stage}\n\n${transcript}`;
    t.assert.fileSnapshot(text, join(folder, "testdata", file), {
      serializers: [(written: string) => written],
    });
  }

  test(calm, (t) => {
    const { transcript } = play().start(ms(0), p1, p2, p3, p4).play(ms(1000));
    record(t, transcript, "without-faults.txt");
  });

  test(GONE, (t) => {
    const story = play().start(ms(0), p1, p2, p3, p4).crash(ms(1), p4).play(ms(1000));
    assert.deepEqual(outcomeOf(story), ["p1: p3", "p2: p3", "p3: p3"]);
    record(t, story.transcript, "greatest-dies.txt");
  });

  test("who has the greatest token in its hands dies: its predecessor says it to the next", (t) => {
    const story = play().start(ms(0), p1, p2, p3, p4).crash(ms(5), p1).play(ms(1000));
    assert.deepEqual(outcomeOf(story), ["p2: p4", "p3: p4", "p4: p4"]);
    record(t, story.transcript, "forwarder-dies.txt");
  });

  test("a token is lost, and nobody hears of that: after a while it is said again", (t) => {
    const story = play().start(ms(0), p1, p2, p3, p4).isolate(ms(5), p1).rejoin(ms(200), p1).play(ms(2000));
    assert.deepEqual(outcomeOf(story), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
    record(t, story.transcript, "lost-token.txt");
  });

  test("one that would be better comes late: it is told whom the others follow, and unseats nobody", (t) => {
    const story = play().start(ms(0), p1, p2, p3).start(ms(500), p4).play(ms(2000));
    assert.deepEqual(outcomeOf(story), ["p1: p3", "p2: p3", "p3: p3", "p4: p3"]);
    record(t, story.transcript, "latecomer.txt");
  });

  test("two of four are left: a token that comes home past too few elects nobody", (t) => {
    const story = play().start(ms(0), p1, p2, p3, p4).crash(ms(500), p4).crash(ms(500), p3).play(ms(2000));
    assert.ok([...story.elected.values()].every(({ leader }) => leader === p4));
    record(t, story.transcript, "no-quorum.txt");
  });
}
