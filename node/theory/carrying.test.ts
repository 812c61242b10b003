// lane: works, 1 s
// Whoever carries messages: what arrives when, in which order, and what is counted.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Random } from "../core/random.ts";
import { type Cast, inStep } from "./in-step.ts";
import { inAnyOrder } from "./in-any-order.ts";
import { places } from "./lecture.ts";
import { carried, knownAt } from "./outcome.ts";
import type { Effect, Input, Process } from "./process.ts";

interface Note {
  readonly kind: "note" | "other";
  readonly text: string;
}

type React = (input: Input<Note>, place: number) => readonly Effect<Note>[];

/** Three processes that do what `react` says, and what each of them was told, with its time. */
function stage(react: React, more: Partial<Cast<Note>> = {}) {
  const told: string[] = [];
  const processes: Process<Note>[] = places(3).map((place) => ({ step: (input) => react(input, place) }));
  const watch: Cast<Note>["watch"] = ({ at, place, input }) => {
    const what =
      input.kind === "message" ? `${input.message.text} from ${input.from} ${input.way}` : input.kind;
    told.push(`${at} ${place} ${what}`);
  };
  const outcome = inStep({ processes, ids: [10, 20, 30], initiators: [0], watch, most: 100, ...more });
  return { told, outcome };
}

const say = (text: string, kind: Note["kind"] = "note"): Effect<Note> => ({
  kind: "pass on",
  message: { kind, text },
});

test("on is to the next place, back to the one before, and each takes one unit", () => {
  const { told, outcome } = stage((input) =>
    input.kind === "begin" ? [say("a"), { kind: "pass back", message: { kind: "other", text: "b" } }] : [],
  );
  assert.deepEqual(told, ["0 0 begin", "1 1 a from 0 on", "1 2 b from 0 back"]);
  assert.deepEqual(
    outcome.messages,
    new Map([
      ["note", 1],
      ["other", 1],
    ]),
  );
  assert.equal(carried(outcome), 2);
  assert.equal(carried(outcome, "note", "nothing of that name"), 1);
});

test("messages go before timers of one instant, a timer that is armed anew or disarmed does not fire", () => {
  const { told } = stage((input, place) => {
    if (input.kind === "begin") return [{ kind: "arm", timer: "t", after: 1 }, say("a")];
    if (place === 1 && input.kind === "message") return [{ kind: "pass back", message: input.message }];
    if (place === 0 && input.kind === "message") return [{ kind: "disarm", timer: "t" }];
    return place === 0 ? [{ kind: "arm", timer: "t", after: 1 }] : [];
  });
  assert.deepEqual(told, ["0 0 begin", "1 1 a from 0 on", "1 0 timeout", "2 0 a from 1 back"]);
});

test("a message takes as long as its link; the dead hear nothing from their death on", () => {
  const slow = { delay: (from: number) => (from === 0 ? 5 : 1) };
  const forward: React = (input) =>
    input.kind === "begin" ? [say("a")] : input.kind === "message" ? [say("b")] : [];
  const dying = { ...slow, deaths: new Map([[2, 6]]) };
  assert.deepEqual(stage(forward, dying).told, ["0 0 begin", "5 1 a from 0 on"]);
  const later = { ...slow, deaths: new Map([[2, 7]]) };
  assert.deepEqual(stage(forward, later).told.slice(2, 3), ["6 2 b from 1 on"]);
});

test("in rounds all are told of each, and hear at its end what was said in it", () => {
  const { told } = stage((input, place) => (input.kind === "round" && place === 0 ? [say("a")] : []), {
    initiators: [],
    rounds: true,
    until: (now) => now === 2,
  });
  assert.deepEqual(told, [
    "0 0 round",
    "0 1 round",
    "0 2 round",
    "1 1 a from 0 on",
    "1 0 round",
    "1 1 round",
    "1 2 round",
    "2 1 a from 0 on",
  ]);
});

test("who decides first counts; the dead need not; what never ends is given up", () => {
  const { outcome } = stage(
    (input, place) =>
      input.kind === "begin"
        ? [{ kind: "lead" }, say("a")]
        : place === 1
          ? [
              { kind: "follow", leader: 10 },
              { kind: "follow", leader: 99 },
            ]
          : [],
    { deaths: new Map([[2, 0]]) },
  );
  assert.deepEqual(outcome.leaders, [{ place: 0, at: 0 }]);
  assert.deepEqual(outcome.followed, [{ leader: 10, at: 0 }, { leader: 10, at: 1 }, null]);
  assert.equal(outcome.undecided, 0);
  const { outcome: endless } = stage((input) => (input.kind === "round" ? [] : [say("a")]));
  assert.equal(endless.ended, "given up");
  assert.equal(endless.undecided, 3);
  assert.deepEqual(knownAt(outcome), { first: 0, last: 1 });
  const { outcome: alone } = stage((input) => (input.kind === "begin" ? [{ kind: "lead" }] : []));
  assert.equal(knownAt(alone), null, "two never knew");
});

test("in any order: all that is sent arrives once, and a link keeps its order", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const heard: string[][] = [[], [], []];
      const processes: Process<Note>[] = places(3).map((place) => ({
        step(input) {
          if (input.kind === "message") heard[place]?.push(input.message.text);
          return input.kind === "begin" ? ["1", "2", "3", "4"].map((text) => say(`${place}${text}`)) : [];
        },
      }));
      const cast = { processes, ids: [1, 2, 3], initiators: [0, 1, 2] };
      assert.equal(carried(inAnyOrder(cast, new Random(seed))), 12);
      assert.deepEqual(heard, [
        ["21", "22", "23", "24"],
        ["01", "02", "03", "04"],
        ["11", "12", "13", "14"],
      ]);
    }),
    { numRuns: 30 },
  );
});

test("in any order: orders differ from seed to seed", () => {
  const order = (seed: number): string => {
    const heard: number[] = [];
    const processes: Process<Note>[] = places(3).map((place) => ({
      step(input) {
        heard.push(place);
        return input.kind === "begin" ? [say("a"), say("b")] : [];
      },
    }));
    inAnyOrder({ processes, ids: [1, 2, 3], initiators: [0, 1, 2] }, new Random(seed));
    return heard.join("");
  };
  assert.ok(new Set(places(20).map(order)).size > 10);
});
