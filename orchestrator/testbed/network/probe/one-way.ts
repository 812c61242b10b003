/**
 * One-way delays: a small UDP message carries its number, the sender's clock is read just before it is
 * sent, and the receiving kernel stamps it. Both clocks are the same, so the difference is what the network
 * took, and nothing else.
 */

import { Random } from "#node/core/random.ts";
import { Mailbox, socketAddress, stampClock, Waiter } from "./socket.ts";
import type { OneWay, Pair, Question } from "./survey.ts";

const CONTROL = 0;
/**
 * As much as a small request with its headers; microseconds of waiting for stragglers after the last one was
 * sent.
 */
const MESSAGE = 100;
const STRAGGLERS = 1_000_000;

export interface Ends {
  readonly sockets: readonly number[];
  readonly addresses: readonly string[];
  readonly port: number;
}

export function measureOneWay(ends: Ends, question: Question & { kind: "one-way" }): readonly OneWay[] {
  const { pairs, rounds, interval } = question;
  const survey = new OneWaySurvey(ends, pairs);
  const waiter = new Waiter([CONTROL, ...ends.sockets]);
  const due = departures(rounds, pairs.length, interval);
  const start = stampClock() / 1000;
  let next = 0;
  let isStopped = false;
  while (next < due.length && !isStopped) {
    for (let now = stampClock() / 1000; next < due.length && start + (due[next] as number) <= now; next++) {
      survey.send(next % pairs.length);
      now = stampClock() / 1000;
    }
    waiter.wait(start + (due[next] ?? 0) - stampClock() / 1000);
    survey.receive(waiter);
    isStopped = waiter.isReady(0);
  }
  const stragglers = new Waiter([-1, ...ends.sockets]);
  const end = stampClock() / 1000 + STRAGGLERS;
  for (let left = STRAGGLERS; survey.missing > 0 && left > 0; left = end - stampClock() / 1000) {
    stragglers.wait(left);
    survey.receive(stragglers);
  }
  return survey.result();
}

/**
 * When to send, from the start. Spread over the interval, so that probes never stand in each other's way; and
 * after each round a pause of another length, because what disturbs a machine comes at even times too, and in
 * step with them it would always meet the same pair.
 */
export function departures(rounds: number, pairs: number, interval: number): Float64Array {
  const step = interval / pairs;
  const random = new Random(rounds);
  const due = new Float64Array(rounds * pairs);
  let pauses = 0;
  for (let next = 0; next < due.length; next++) {
    if (next % pairs === 0) pauses += random.unit() * step;
    due[next] = next * step + pauses;
  }
  return due;
}

class OneWaySurvey {
  missing = 0;
  readonly #ends: Ends;
  readonly #pairs: readonly Pair[];
  readonly #targets: readonly Uint8Array[];
  readonly #mailbox = new Mailbox();
  /** By number of the message: when it was sent and when it was received, in nanoseconds, and its pair. */
  readonly #sent: number[] = [];
  readonly #received: number[] = [];
  readonly #pairOf: number[] = [];

  constructor(ends: Ends, pairs: readonly Pair[]) {
    this.#ends = ends;
    this.#pairs = pairs;
    this.#targets = ends.addresses.map((address) => socketAddress(address, ends.port));
  }

  send(pair: number): void {
    const [from, to] = this.#pairs[pair] as Pair;
    this.#mailbox.words[0] = this.#sent.length;
    this.#pairOf.push(pair);
    this.#sent.push(stampClock());
    this.#mailbox.send(this.#ends.sockets[from] as number, MESSAGE, this.#targets[to] as Uint8Array);
    this.missing += 1;
  }

  receive(waiter: Waiter): void {
    for (let index = 0; index < this.#ends.sockets.length; index++) {
      if (!waiter.isReady(index + 1)) continue;
      while (this.#mailbox.receive(this.#ends.sockets[index] as number)) {
        const number = this.#mailbox.words[0] as number;
        if (number >= this.#sent.length || this.#received[number] !== undefined) continue;
        this.#received[number] = this.#mailbox.received.stamp;
        this.missing -= 1;
      }
    }
  }

  result(): readonly OneWay[] {
    const ways = this.#pairs.map(([from, to]) => ({
      from,
      to,
      sent: 0,
      delays: [] as number[],
      reordered: 0,
    }));
    const latest = new Float64Array(this.#pairs.length);
    for (const [number, sent] of this.#sent.entries()) {
      const pair = this.#pairOf[number] as number;
      const way = ways[pair];
      if (way === undefined) continue;
      way.sent += 1;
      const received = this.#received[number];
      if (received === undefined) continue;
      way.delays.push((received - sent) / 1000);
      if (received < (latest[pair] as number)) way.reordered += 1;
      else latest[pair] = received;
    }
    return ways;
  }
}
