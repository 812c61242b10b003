import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { GroupEffect, GroupInput } from "../../core/group.ts";
import { memberId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import { microseconds, milliseconds, seconds } from "../../core/time.ts";
import { Reader } from "../../wire/reader.ts";
import { Writer } from "../../wire/writer.ts";
import { AnnounceListen, type AnnounceListenProtocol, type Variant } from "./announce-listen.ts";
import { type Announcement, codec } from "./announcement.ts";
import { Query } from "./query.ts";
import { bySlot, byWorth, earliest, late, uniform, type WakeUp } from "./wake-up.ts";

const TIMES = { announce: seconds(1), listen: milliseconds(2500), suppress: milliseconds(500) };
const [small, self, great] = [memberId(3), memberId(5), memberId(7)];

type Input = GroupInput<AnnounceListenProtocol>;

const start: Input = { kind: "start", life: 77 };
const leave: Input = { kind: "request", request: "leave" };
const hear = (from: typeof self, said: Partial<Announcement> = {}): Input => ({
  kind: "message",
  from,
  message: { kind: "announcement", life: 1, number: 1, rank: 0, ...said },
});
const due = (timer: AnnounceListenProtocol["timer"]): Input => ({ kind: "timeout", timer });

const word = (effect: GroupEffect<AnnounceListenProtocol>): string => {
  if (effect.kind === "announce") return effect.message.kind;
  if (effect.kind !== "output") return `${effect.kind} ${effect.timer}`;
  return effect.output.kind === "elected" ? `elected ${effect.output.leader}` : effect.output.facts.name;
};

/** What it did at the last of these, but for what it disarmed. */
const told = (member: AnnounceListen, inputs: readonly Input[]): string[] =>
  (inputs.map((input) => member.step(input)).at(-1) ?? [])
    .map(word)
    .filter((each) => !each.startsWith("disarm"));

const after = (variant: Variant, ...inputs: Input[]): string[] =>
  told(new AnnounceListen(self, { ...TIMES, bye: 3 }, variant), inputs);

suite("LE-M", () => {
  const wakes: WakeUp = () => ({ wait: milliseconds(100), rank: 1000 });

  test("who woke earlier is followed whatever its address; who woke later is not even answered", () => {
    assert.deepEqual(after({ wakeUp: wakes }, start, hear(small, { rank: 1001 })), [
      "elected 3",
      "arm listen",
    ]);
    assert.deepEqual(after({ wakeUp: wakes }, start, hear(great, { rank: 999 })), []);
  });

  test("of those who woke together the greater address leads", () => {
    assert.deepEqual(after({ wakeUp: wakes }, start, hear(great, { rank: 1000 }))[0], "elected 7");
    assert.deepEqual(after({ wakeUp: wakes }, start, hear(small, { rank: 1000 })), []);
  });
});

suite("wake-ups", () => {
  const most = milliseconds(500);
  const draw = (wakeUp: WakeUp, of = self) => {
    const random = new Random(1);
    return Array.from({ length: 20_000 }, () => wakeUp(most, random, of));
  };
  const share = (wakeUp: WakeUp, of = self): number =>
    draw(wakeUp, of).reduce((sum, { wait }) => sum + wait / most, 0) / 20_000;

  test("all are within T_S", () => {
    for (const wakeUp of [uniform, late(5), earliest, bySlot(10), byWorth(0.3)])
      assert.ok(draw(wakeUp).every(({ wait }) => wait >= 0 && wait <= most));
  });

  test("late ones have the mean of their density: 1/(1 - e^-x) - 1/x", () => {
    for (const x of [1, 5, 10])
      assert.ok(Math.abs(share(late(x)) - (1 / -Math.expm1(-x) - 1 / x)) < 0.01, `x ${x}`);
    assert.deepEqual(draw(late(0)), draw(uniform));
  });

  test("the earlier, the greater the claim of LE-M, as 32 bits", () => {
    const drawn = draw(earliest).sort((a, b) => a.wait - b.wait);
    assert.ok(drawn.every(({ rank }, at) => at === 0 || rank <= (drawn[at - 1]?.rank ?? 0)));
    assert.ok(drawn.every(({ rank }) => rank >>> 0 === rank));
  });

  test("slots: of ten the greatest is in the first tenth, the smallest in the last", () => {
    assert.ok(draw(bySlot(10), memberId(10)).every(({ wait }) => wait <= most / 10));
    assert.ok(draw(bySlot(10), memberId(1)).every(({ wait }) => wait >= (9 * most) / 10));
    assert.ok(draw(bySlot(10), memberId(400)).every(({ wait }) => wait <= most / 10));
  });

  test("by worth: the best at once and with the greatest claim", () => {
    const [best, half] = [1, 0.5].map((worth) => byWorth(worth)(most, new Random(1), self));
    assert.deepEqual([best?.wait, half?.wait], [0, most / 2]);
    assert.ok((best?.rank ?? 0) > (half?.rank ?? 0));
  });
});

suite("Bye", () => {
  test("a leader that leaves says so as often as it is told to, and is still from then on", () => {
    assert.deepEqual(after({}, start, leave), ["bye", "bye", "bye"]);
    assert.deepEqual(after({}, start, leave, hear(great)), []);
    assert.deepEqual(after({}, start, leave, due("announce")), []);
  });

  test("a follower leaves in silence", () => {
    assert.deepEqual(after({}, start, hear(great), leave), []);
  });

  test("who hears its leader leave begins anew at once", () => {
    assert.deepEqual(after({}, start, hear(great), hear(great, { kind: "bye", number: 2 })), [
      "hears its leader leave",
      "elected 5",
      "is silent",
      "arm suppress",
    ]);
  });

  test("a late heartbeat after a Bye revives nobody, a new life does", () => {
    const gone = [start, hear(great, { number: 4 }), hear(great, { kind: "bye", number: 6 })];
    assert.deepEqual(after({}, ...gone, hear(great, { number: 5 })), []);
    assert.deepEqual(after({}, ...gone, hear(great, { life: 2 }))[0], "elected 7");
    assert.deepEqual(
      after({ slip: "a ghost is believed" }, ...gone, hear(great, { number: 5 }))[0],
      "elected 7",
    );
  });

  test("a late Bye of an earlier life does not end the present one", () => {
    assert.deepEqual(after({}, start, hear(great, { life: 2 }), hear(great, { kind: "bye", life: 1 })), []);
  });

  test("a Bye of somebody else is remembered, and changes nothing", () => {
    const bye = hear(great, { kind: "bye" });
    assert.deepEqual(after({}, start, bye), []);
    assert.deepEqual(after({}, start, bye, hear(great)), []);
  });
});

suite("Query", () => {
  const OPTIONS = { ...TIMES, suppress: microseconds(0), query: milliseconds(200) };
  const asking = (...inputs: Input[]): string[] => told(new Query(self, OPTIONS), inputs);
  const silent = (...inputs: Input[]): string[] => told(new Query(self, { ...OPTIONS, ...TIMES }), inputs);
  const ask = hear(small, { kind: "query" });

  test("who begins asks, and announces itself when nobody answers", () => {
    assert.deepEqual(asking(start), ["elected 5", "query", "arm query"]);
    assert.deepEqual(asking(start, due("query")), ["announcement", "arm announce"]);
  });

  test("an answer is followed, and so is a question of somebody greater", () => {
    assert.deepEqual(asking(start, hear(great)), ["elected 7", "arm listen"]);
    assert.deepEqual(asking(start, hear(great, { kind: "query" })), ["elected 7", "arm listen"]);
  });

  test("who announces itself answers at once; who only asks itself does not, nor does a follower", () => {
    assert.deepEqual(asking(start, due("query"), ask), ["announcement", "arm announce"]);
    assert.deepEqual(asking(start, ask), []);
    assert.deepEqual(asking(start, due("query"), hear(great), ask), []);
  });

  test("with T_S it is silent first, then asks, and one answer serves all who ask together", () => {
    assert.deepEqual(silent(start), ["elected 5", "is silent", "arm suppress"]);
    assert.deepEqual(silent(start, due("suppress")), ["query", "arm query"]);
    const leads = [start, due("suppress"), due("query")];
    assert.deepEqual(silent(...leads, ask), ["arm answer"]);
    assert.deepEqual(silent(...leads, ask, hear(small, { kind: "query", number: 2 })), []);
    assert.deepEqual(silent(...leads, ask, due("answer")), ["announcement", "arm announce"]);
  });

  test("who led, followed and begins anew owes no answer before it has spoken", () => {
    const again = [start, due("suppress"), due("query"), ask, hear(great), due("listen")];
    assert.deepEqual(silent(...again, hear(small, { kind: "query", number: 9 })), []);
    const leads = [...again, due("suppress"), due("query")];
    assert.deepEqual(silent(...leads, hear(small, { kind: "query", number: 10 })), ["arm answer"]);
  });
});

test("SUP+AL: whoever speaks silences, the smaller the greater too", () => {
  assert.deepEqual(after({ anybody: true }, start, hear(small)), ["elected 3", "arm listen"]);
  assert.deepEqual(after({ anybody: true }, start, hear(great), hear(small))[0], "elected 3");
});

test("what is said comes back from its bytes; another kind is refused", () => {
  for (const said of codec.examples) {
    const writer = new Writer(16);
    codec.write(said, writer);
    assert.deepEqual(codec.read(new Reader(writer.take())), said);
  }
  const reader = new Reader(Uint8Array.of(9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1));
  codec.read(reader);
  assert.match(reader.failure ?? "", /nothing that a member says/);
});
