import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { type Question, readQuestion } from "./survey.ts";

const QUESTIONS: readonly Question[] = [
  {
    kind: "one-way",
    pairs: [
      [0, 1],
      [2, 0],
    ],
    rounds: 200,
    interval: 12_000.5,
  },
  { kind: "handshake", pairs: [], rounds: 8 },
  { kind: "bandwidth", pair: [1, 2], seconds: 2, buffers: null },
  { kind: "bandwidth", pair: [1, 2], seconds: 0.5, buffers: 65_536 },
  { kind: "multicast", senders: [2, 0], rounds: 1000, interval: 2000 },
  { kind: "stop" },
];

suite("questions to the prober", () => {
  for (const question of QUESTIONS) {
    const said = JSON.stringify(question);
    test(`${said} comes back as it was`, () => {
      assert.deepEqual(readQuestion(said, 3), { ok: true, value: question });
    });
  }

  const nonsense: Readonly<Record<string, RegExp>> = {
    "{": /not JSON/,
    '"stop"': /not an object/,
    '{"kind":"why"}': /kind is not stop or/,
    '{"kind":"handshake","pairs":[[0,3]],"rounds":1}': /pairs is not pairs of machines/,
    '{"kind":"handshake","pairs":[[0,1,2]],"rounds":1}': /pairs is not pairs/,
    '{"kind":"handshake","pairs":[[0,1]],"rounds":1.5}': /rounds is not a whole number/,
    '{"kind":"one-way","pairs":[[0,1]],"rounds":1e9,"interval":1}': /rounds is not a whole number from 1 to/,
    '{"kind":"one-way","pairs":[[0,1]],"rounds":1,"interval":-1}': /interval is not a number from 0/,
    '{"kind":"multicast","senders":[],"rounds":1,"interval":1}': /senders is not machines/,
    '{"kind":"multicast","senders":[3],"rounds":1,"interval":1}': /senders is not machines/,
    '{"kind":"bandwidth","pair":0,"seconds":1,"buffers":null}': /pair is not a pair of machines/,
  };
  for (const [line, reason] of Object.entries(nonsense)) {
    test(`${line} is refused`, () => {
      const read = readQuestion(line, 3);
      assert.ok(!read.ok);
      assert.match(read.reason, reason);
    });
  }
});
