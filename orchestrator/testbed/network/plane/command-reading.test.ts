import assert from "node:assert/strict";
import test, { suite } from "node:test";
import fc from "fast-check";
import { milliseconds } from "#node/core/time.ts";
import { CommandReader, LONGEST_LINE, readCommand } from "./command-reading.ts";
import type { Command } from "./control.ts";

const shape = {
  delay: milliseconds(5),
  jitter: { distribution: "pareto", scale: milliseconds(1), halfLife: milliseconds(0) },
  loss: 0.01,
  rate: null,
} as const;

const COMMANDS: readonly Command[] = [
  { kind: "attach", machine: 1, namespace: "/proc/1/ns/net", address: "10.77.0.2" },
  { kind: "shape", from: 0, to: 1, shape },
  { kind: "shape", from: 2, to: 0, shape: { ...shape, jitter: null, rate: 1e6 } },
  { kind: "shape", from: 2, to: 1, shape: { ...shape, duplicate: 0.25, corrupt: 1 } },
  { kind: "cut", from: 0, to: 2, inFlight: "drop" },
  { kind: "heal", from: 0, to: 2 },
  { kind: "forget", from: 1, to: 2, which: "bulk" },
  { kind: "compensate", microseconds: 12.5 },
  { kind: "report" },
];

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const told = (...pieces: readonly Uint8Array[]) => {
  const reader = new CommandReader(3);
  return pieces.flatMap((piece) => [...reader.take(piece)]);
};

suite("commands", () => {
  test("come back as they were said, however the pipe cuts them", () => {
    const said = bytes(COMMANDS.map((command) => `${JSON.stringify(command)}\n`).join(""));
    fc.assert(
      fc.property(fc.array(fc.nat(said.length)), (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), said.length];
        const pieces = cuts.slice(1).map((end, index) => said.subarray(cuts[index], end));
        assert.deepEqual(
          told(...pieces),
          COMMANDS.map((value) => ({ ok: true, value })),
        );
      }),
    );
  });

  const nonsense: Readonly<Record<string, RegExp>> = {
    "": /not JSON/,
    '{"kind":': /not JSON/,
    null: /not an object/,
    "[]": /not an object/,
    "{}": /kind is not report or attach/,
    '{"kind":"fly"}': /kind is not report or attach/,
    '{"kind":"constructor"}': /kind is not report or attach/,
    '{"kind":"heal","from":0,"to":3}': /to is not one of 3 machines/,
    '{"kind":"heal","from":-1,"to":0}': /from is not one of/,
    '{"kind":"heal","from":0.5,"to":0}': /from is not one of/,
    '{"kind":"heal","from":"0","to":1}': /from is not one of/,
    '{"kind":"cut","from":0,"to":1}': /inFlight is not deliver or drop/,
    '{"kind":"compensate","microseconds":1e99}': /microseconds is not a number/,
    '{"kind":"shape","from":0,"to":1}': /shape is not an object/,
    '{"kind":"shape","from":0,"to":1,"shape":{"jitter":null,"rate":0}}': /shape\.rate is not a number from 1/,
    '{"kind":"shape","from":0,"to":1,"shape":{"delay":1,"jitter":null,"rate":null,"loss":0,"corrupt":2}}':
      /shape\.corrupt is not a number from 0 to 1/,
    '{"kind":"shape","from":0,"to":1,"shape":{"jitter":{"distribution":"flat"},"rate":null}}':
      /shape\.jitter\.distribution is not pareto or normal or uniform/,
    '{"kind":"attach","machine":0,"namespace":"/x","address":"1.2.3.4 dev x\\nlink del eth0"}':
      /address is not an IPv4/,
  };
  for (const [line, reason] of Object.entries(nonsense)) {
    test(`${line === "" ? "an empty line" : line} is refused, and the next one heard`, () => {
      const [first, second] = told(bytes(`${line}\n{"kind":"report"}\n`));
      assert.ok(first?.ok === false);
      assert.match(first.reason, reason);
      assert.deepEqual(second, { ok: true, value: { kind: "report" } });
    });
  }

  test("what else a line may hold is not passed on", () => {
    const read = readCommand('{"kind":"heal","from":0,"to":1,"shape":7}', 3);
    assert.deepEqual(read, { ok: true, value: { kind: "heal", from: 0, to: 1 } });
  });

  test("a line without end is let go, and the one after it heard", () => {
    const piece = new Uint8Array(LONGEST_LINE).fill(32);
    const answers = told(piece, piece, bytes("\n"), bytes('{"kind":"report"}\n'));
    assert.deepEqual(answers, [
      { ok: false, reason: "a line without end" },
      { ok: true, value: { kind: "report" } },
    ]);
  });
});
