/**
 * What a prober is asked and what it answers. A prober is one process with a socket on every machine: its
 * clock is the sender's and the receiver's, so one-way delays can be measured at all.
 */

import type { Result } from "#node/wire/result.ts";
import { type Fields, isIndex, readLine } from "../fields.ts";

export interface ProberSettings {
  readonly machines: readonly { readonly namespace: string; readonly address: string }[];
}

/** Machines by their index. */
export type Pair = readonly [from: number, to: number];

export type Question =
  /**
   * One-way delays by UDP: each pair in turn, `interval` microseconds apart, until `rounds` or the next
   * question.
   */
  | {
      readonly kind: "one-way";
      readonly pairs: readonly Pair[];
      readonly rounds: number;
      readonly interval: number;
    }
  /** Round-trip times by TCP handshakes, as the kernel measures them. */
  | { readonly kind: "handshake"; readonly pairs: readonly Pair[]; readonly rounds: number }
  /** What one TCP flow carries; the best second counts, because the first ones are slow start. */
  | {
      readonly kind: "bandwidth";
      readonly pair: Pair;
      readonly seconds: number;
      readonly buffers: number | null;
    }
  /** What each of the machines sends to all: `rounds` messages in all, `interval` microseconds apart. */
  | {
      readonly kind: "multicast";
      readonly senders: readonly number[];
      readonly rounds: number;
      readonly interval: number;
    }
  | { readonly kind: "stop" };

/** At so many the departures of one survey fill a memory. */
const MOST_ROUNDS = 100_000;
const LONGEST_INTERVAL = 60e6;
const LONGEST_SECONDS = 3600;
const LARGEST_BUFFERS = 1 << 30;

export const readQuestion = (line: string, machines: number): Result<Question> =>
  readLine(line, (fields) => questionOf(fields, machines));

function questionOf(fields: Fields, machines: number): Question {
  const kind = fields.oneOf("kind", ["stop", "one-way", "handshake", "bandwidth", "multicast"]);
  const isPair = (value: unknown): value is Pair =>
    Array.isArray(value) && value.length === 2 && value.every((each) => isIndex(each, machines));
  const arePairs = (value: unknown): value is readonly Pair[] =>
    Array.isArray(value) && value.length <= machines * machines && value.every(isPair);
  const pairs = (): readonly Pair[] => fields.take("pairs", "pairs of machines", arePairs, []);
  const rounds = (): number => fields.whole("rounds", 1, MOST_ROUNDS);
  switch (kind) {
    case "one-way":
      return {
        kind,
        pairs: pairs(),
        rounds: rounds(),
        interval: fields.number("interval", 0, LONGEST_INTERVAL),
      };
    case "handshake":
      return { kind, pairs: pairs(), rounds: rounds() };
    case "bandwidth": {
      const buffers = fields.isNull("buffers") ? null : fields.whole("buffers", 1, LARGEST_BUFFERS);
      const pair = fields.take<Pair>("pair", "a pair of machines", isPair, [0, 0]);
      return { kind, pair, seconds: fields.number("seconds", 0, LONGEST_SECONDS), buffers };
    }
    case "multicast": {
      const areMachines = (value: unknown): value is readonly number[] =>
        Array.isArray(value) && value.length > 0 && value.every((each) => isIndex(each, machines));
      const senders = fields.take("senders", "machines", areMachines, []);
      return { kind, senders, rounds: rounds(), interval: fields.number("interval", 0, LONGEST_INTERVAL) };
    }
    case "stop":
      return { kind };
  }
}

export interface OneWay {
  readonly from: number;
  readonly to: number;
  readonly sent: number;
  /** In microseconds, in the order sent; lost ones left out. */
  readonly delays: readonly number[];
  /** Arrived after one that was sent later. */
  readonly reordered: number;
}

export interface Handshakes {
  readonly from: number;
  readonly to: number;
  /** In microseconds; a handshake that failed or was repeated is left out. */
  readonly roundTrips: readonly number[];
}

export interface Multicasts {
  readonly from: number;
  /** Of each message in the order sent: the machines that did not hear it. */
  readonly missed: readonly (readonly number[])[];
}

export type Finding =
  | { readonly kind: "one-way"; readonly ways: readonly OneWay[] }
  | { readonly kind: "handshake"; readonly ways: readonly Handshakes[] }
  /** Bits per second of payload in each whole second. */
  | { readonly kind: "bandwidth"; readonly perSecond: readonly number[] }
  | { readonly kind: "multicast"; readonly senders: readonly Multicasts[] }
  | { readonly kind: "stop" }
  /** What was asked is no question. */
  | { readonly kind: "refused"; readonly reason: string };
