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
  const bytes = new Uint8Array(CHUNK);
  const address = addressOf(bytes);
  const waiter = new Waiter([receiver], POLLIN);
  const either = new Waiter([receiver, sender], POLLIN | POLLOUT);
  const perSecond = Array.from({ length: seconds }, () => 0);
  const start = stampClock();
  let isFull = false;
  for (;;) {
    const second = Math.floor((stampClock() - start) / 1e9);
    if (second >= seconds) return perSecond;
    isFull = write(sender, address, CHUNK) < CHUNK;
    const got = read(receiver, address, CHUNK);
    if (got > 0) perSecond[second] = (perSecond[second] ?? 0) + got * 8;
    else if (isFull) (either ?? waiter).wait(10_000);
  }
}
