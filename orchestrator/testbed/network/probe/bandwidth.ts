/**
 * What one TCP flow carries: writes as much as it can at one end, reads it at the other, and counts per
 * second.
 */

import { addressOf, close, read, write } from "../libc.ts";
import {
  acceptConnection,
  openConnection,
  openListener,
  socketAddress,
  stampClock,
  Waiter,
} from "./socket.ts";
import type { Question } from "./survey.ts";

const POLLIN = 1;
const POLLOUT = 4;
const CHUNK = 1 << 19;

export function measureBandwidth(
  addresses: readonly string[],
  port: number,
  question: Question & { kind: "bandwidth" },
  enter: (machine: number) => void,
): readonly number[] {
  const [from, to] = question.pair;
  const address = addresses[to] ?? "";
  enter(to);
  const listener = openListener(address, port);
  enter(from);
  const sender = openConnection(socketAddress(address, port), question.buffers ?? undefined);
  new Waiter([listener]).wait(5_000_000);
  const receiver = acceptConnection(listener);
  const perSecond = receiver < 0 ? [] : pump(sender, receiver, question.seconds);
  for (const fd of [sender, receiver, listener]) if (fd >= 0) close(fd);
  return perSecond;
}

function pump(sender: number, receiver: number, seconds: number): number[] {
  const ends = new Ends(sender, receiver);
  const readable = new Waiter([receiver], POLLIN);
  const either = new Waiter([receiver, sender], POLLIN | POLLOUT);
  const perSecond = Array.from({ length: seconds }, () => 0);
  const start = stampClock();
  for (;;) {
    const second = Math.floor((stampClock() - start) / 1e9);
    if (second >= seconds) return perSecond;
    const isFull = !ends.push();
    const got = ends.pull();
    perSecond[second] = (perSecond[second] ?? 0) + got * 8;
    if (got === 0) (isFull ? readable : either).wait(10_000);
  }
}

class Ends {
  readonly #sender: number;
  readonly #receiver: number;
  readonly #bytes = new Uint8Array(CHUNK);
  readonly #address = addressOf(this.#bytes);

  constructor(sender: number, receiver: number) {
    this.#sender = sender;
    this.#receiver = receiver;
  }

  /** Whether the socket took all of it. */
  push(): boolean {
    return write(this.#sender, this.#address, this.#bytes.length) === this.#bytes.length;
  }

  /** How many bytes came. */
  pull(): number {
    return Math.max(0, read(this.#receiver, this.#address, this.#bytes.length));
  }
}
