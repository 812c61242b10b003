/**
 * Lines at the control channels of the packet plane and the prober: each is read as a command or a question,
 * or refused with a word, and whatever shape a command gives a way, a packet on it is lost or comes at a
 * time.
 */

import { Random } from "#node/core/random.ts";
import { milliseconds } from "#node/core/time.ts";
import { NEUTRAL } from "../testbed/network/network.ts";
import { CommandReader } from "../testbed/network/plane/command-reading.ts";
import { type Command, shapeOffWire } from "../testbed/network/plane/control.ts";
import { LOST, Way } from "../testbed/network/plane/way.ts";
import { type Question, readQuestion } from "../testbed/network/probe/survey.ts";
import type { Target } from "./target.ts";

const MACHINES = 3;
const shape = { delay: milliseconds(5), jitter: null, loss: 0.5, rate: null };
const jitter = { distribution: "normal", scale: milliseconds(1), halfLife: milliseconds(2) } as const;

const COMMANDS: readonly Command[] = [
  { kind: "attach", machine: 1, namespace: "/proc/1/ns/net", address: "10.77.0.2" },
  { kind: "shape", from: 0, to: 1, shape },
  { kind: "shape", from: 2, to: 0, shape: { ...shape, jitter, rate: 1e6 } },
  { kind: "cut", from: 0, to: 2, inFlight: "drop" },
  { kind: "heal", from: 0, to: 2 },
  { kind: "compensate", microseconds: 12.5 },
  { kind: "report" },
];

const QUESTIONS: readonly Question[] = [
  { kind: "one-way", pairs: [[0, 1]], rounds: 20, interval: 1000 },
  { kind: "handshake", pairs: [[2, 0]], rounds: 3 },
  { kind: "bandwidth", pair: [1, 2], seconds: 1, buffers: null },
];

export function controlTarget(): Target {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const lines = [...COMMANDS, ...QUESTIONS].map((said) => `${JSON.stringify(said)}\n`);
  return {
    seeds: [...lines, lines.join("")].map((text) => encoder.encode(text)),
    feed(bytes) {
      const reader = new CommandReader(MACHINES);
      const cut = bytes.length >> 1;
      for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
        for (const command of reader.take(piece)) {
          if (!command.ok && command.reason === "") throw new Error("refused, and no word why");
          if (command.ok && command.value.kind === "shape") carry(command.value);
        }
      }
      for (const line of decoder.decode(bytes).split("\n")) readQuestion(line, MACHINES);
    },
  };
}

function carry({ shape }: Command & { kind: "shape" }): void {
  const way = new Way(NEUTRAL, true, new Random(1));
  way.shape(shapeOffWire(shape));
  for (const now of [0, 1, 1e6]) {
    const due = way.enter(now, 1500, 0.5);
    if (due !== LOST && !Number.isFinite(due)) throw new Error(`a packet is due at ${due}`);
  }
}
