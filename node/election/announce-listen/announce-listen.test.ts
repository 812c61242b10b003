import assert from "node:assert/strict";
import { test } from "node:test";
import type { GroupEffect, GroupInput } from "../../core/group.ts";
import { memberId } from "../../core/identity.ts";
import { milliseconds, seconds } from "../../core/time.ts";
import { AnnounceListen, type AnnounceListenProtocol, type Slip } from "./announce-listen.ts";

const OPTIONS = { announce: seconds(1), listen: milliseconds(2500), suppress: milliseconds(500) };
const [small, self, great, greatest] = [memberId(3), memberId(5), memberId(7), memberId(9)];

type Input = GroupInput<AnnounceListenProtocol>;
type Effect = GroupEffect<AnnounceListenProtocol>;

const start: Input = { kind: "start", life: 77 };
const heard = (from: typeof self, number = 1, life = 1): Input => ({
  kind: "message",
  from,
  message: { kind: "announcement", life, number, rank: 0 },
});
const due = (timer: "announce" | "listen" | "suppress"): Input => ({ kind: "timeout", timer });

/** A member of address 5 that was given these; what it did at the last of them, in a word each. */
function after(slip: Slip | null, ...inputs: Input[]): string[] {
  const member = new AnnounceListen(self, OPTIONS, { slip });
  return (inputs.map((input) => member.step(input)).at(-1) ?? []).map(word);
}

function word(effect: Effect): string {
  switch (effect.kind) {
    case "announce":
      return `announce ${effect.message.number}`;
    case "arm":
      return effect.timer === "suppress" ? "arm suppress" : `arm ${effect.timer} ${effect.after / 1e6}`;
    case "disarm":
      return `disarm ${effect.timer}`;
    default:
      return effect.output.kind === "elected"
        ? `elected ${effect.output.leader} in round ${effect.output.round}`
        : effect.output.facts.name;
  }
}

test("who begins believes in itself and is silent; with T_S = 0 it speaks at once", () => {
  assert.deepEqual(after(null, start), ["elected 5 in round 1", "is silent", "arm suppress"]);
  const hasty = new AnnounceListen(self, { ...OPTIONS, suppress: milliseconds(0) });
  assert.deepEqual(hasty.step(start).map(word), ["elected 5 in round 1", "announce 1", "arm announce 1"]);
});

test("silences are uniform up to T_S, and each life draws its own", () => {
  const waits = Array.from({ length: 2000 }, (_, life) => {
    const effects = new AnnounceListen(self, OPTIONS).step({ kind: "start", life });
    return effects.find((effect) => effect.kind === "arm")?.after ?? Number.NaN;
  });
  assert.ok(waits.every((wait) => wait >= 0 && wait <= OPTIONS.suppress));
  const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  // Within 4 standard deviations of the mean of 2,000.
  assert.ok(Math.abs(mean - 250_000) < (4 * 500_000) / Math.sqrt(12 * 2000), `mean ${mean}`);
});

test("a greater address is followed, and silences", () => {
  const followed = ["elected 7 in round 1", "arm listen 2.5", "disarm announce", "disarm suppress"];
  assert.deepEqual(after(null, start, heard(great)), followed);
  assert.deepEqual(after(null, start, due("suppress"), heard(great)), followed);
  assert.deepEqual(after(null, start, heard(great), heard(greatest))[0], "elected 9 in round 1");
});

test("a smaller address is not even answered, not by a follower either", () => {
  assert.deepEqual(after(null, start, heard(small)), []);
  assert.deepEqual(after(null, start, heard(greatest), heard(great)), []);
});

test("a heartbeat of the leader arms the listen timer again, a late copy does not", () => {
  const again = ["arm listen 2.5", "disarm announce", "disarm suppress"];
  assert.deepEqual(after(null, start, heard(great, 4), heard(great, 5)), again);
  assert.deepEqual(after(null, start, heard(great, 4), heard(great, 4)), []);
  assert.deepEqual(after(null, start, heard(great, 4), heard(great, 3)), []);
  assert.deepEqual(after(null, start, heard(great, 4, 1), heard(great, 1, 2)), again, "it began again");
});

test("who is not silenced announces, each T_A, and counts", () => {
  assert.deepEqual(after(null, start, due("suppress")), ["announce 1", "arm announce 1"]);
  assert.deepEqual(after(null, start, due("suppress"), due("announce")), ["announce 2", "arm announce 1"]);
});

test("who misses its leader begins anew, and does not speak before its silence is over", () => {
  assert.deepEqual(after(null, start, heard(great), due("listen")), [
    "misses its leader",
    "elected 5 in round 2",
    "is silent",
    "arm suppress",
  ]);
  assert.deepEqual(
    after(null, start, heard(great, 4), due("listen"), heard(great, 4))[0],
    "elected 7 in round 2",
    "also a late copy is news to who believes in itself",
  );
});

test("slip: to the letter, a leader's heartbeat is not heard by those who follow it", () => {
  assert.deepEqual(after("only a greater address is heard", start, heard(great, 4), heard(great, 5)), []);
});

test("slip: a leader that listens to itself silences itself", () => {
  const own = heard(self, 1, 77);
  assert.deepEqual(after(null, start, due("suppress"), own), []);
  assert.deepEqual(after("it listens to itself", start, due("suppress"), own), [
    "arm listen 2.5",
    "disarm announce",
    "disarm suppress",
  ]);
});
