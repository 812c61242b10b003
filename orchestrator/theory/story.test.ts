// lane: works, 1 s
//
// Elections of the lectures as stories to read: testdata/*.txt. `make unit FILTER=theory UPDATE=1` writes
// them anew.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type LectureName, lectures } from "#node/theory/catalog.ts";
import { Random } from "#node/core/random.ts";
import { anonymityOf, anonymityText, isContradicted } from "./anonymity.ts";
import { type Story, tell, type Telling, transcript } from "./story.ts";

const example = (name: LectureName, telling?: Telling): Story =>
  tell(lectures[name], lectures[name].example, telling);

function record(t: TestContext, file: string, text: string): void {
  t.assert.fileSnapshot(text, join(import.meta.dirname, "testdata", file), {
    serializers: [(written: string) => written],
  });
}

for (const name of Object.keys(lectures) as readonly LectureName[]) {
  test(`${name}: its example, as a story`, (t) => {
    const story = example(name);
    assert.equal(story.outcome.leaders.length, 1);
    assert.equal(story.outcome.undecided, 0);
    record(t, `${name}.txt`, transcript(story));
  });
}

test("bully: the greatest alive dies when it has said OK, and the others begin anew", (t) => {
  const deaths = new Map([
    [4, 0],
    [3, 3],
  ]);
  const story = tell(lectures.bully, { ids: [1, 2, 3, 4, 5], initiators: [0], seed: 0 }, { deaths });
  assert.deepEqual(
    story.outcome.leaders.map(({ place }) => place),
    [2],
  );
  record(t, "bully-dies-after-ok.txt", transcript(story));
});

test("time-slice: a message takes two rounds where one is promised, and two lead", (t) => {
  const story = tell(lectures["time-slice"], { ids: [0, 2, 1], initiators: [], seed: 0 }, { late: 2 });
  assert.ok(story.outcome.leaders.length > 1);
  for (const { to, left, arrives } of story.flights) {
    assert.equal(arrives, left + 2);
    assert.ok(story.lines.some((line) => line.at === arrives && line.place === to));
  }
  record(t, "time-slice-late.txt", transcript(story));
});

test("bully: messages take twice as long as the timeouts think, and all who ask come to lead", (t) => {
  const story = example("bully", { late: 2 });
  assert.deepEqual(
    story.outcome.leaders.map(({ place }) => place),
    [1, 2, 3],
  );
  record(t, "bully-late.txt", transcript(story));
});

test("hs, in any order of arrivals: as many messages, and each is on its way until it is heard", (t) => {
  const inStep = example("hs");
  const story = example("hs", { anyOrder: new Random(1) });
  assert.deepEqual(story.outcome.messages, inStep.outcome.messages);
  for (const { to, arrives, text } of story.flights) {
    const heard = story.lines.find((line) => line.at === arrives && line.place === to);
    assert.ok(heard?.text.startsWith(`hears ${text} from`), text);
  }
  record(t, "hs-any-order.txt", transcript(story));
});

test("a story goes on to its end, however many rounds or messages that takes", () => {
  const slow = tell(lectures["variable-speeds"], { ids: [12, 10], initiators: [], seed: 0 });
  assert.deepEqual(slow.outcome.leaders, [{ place: 1, at: 2 * 2 ** 10 }]);
  const ids = Array.from({ length: 60 }, (_, index) => index + 1);
  const crowd = tell(lectures.bully, { ids, initiators: [0], seed: 0 });
  assert.equal(crowd.flights.length, 60 * 59 - 1);
  for (const { outcome } of [slow, crowd]) assert.equal(outcome.ended, "quiet");
});

test("what is on its way in a story is what was counted", () => {
  for (const name of Object.keys(lectures) as readonly LectureName[]) {
    const { flights, outcome } = example(name);
    assert.equal(
      flights.length,
      [...outcome.messages.values()].reduce((all, one) => all + one, 0),
      name,
    );
  }
});

test("anonymous: nobody or everybody, to watch", (t) => {
  const found = anonymityOf(6, 1);
  assert.ok(!isContradicted(found));
  record(t, "anonymous.txt", anonymityText(found));
});
