/** Round-trip times of TCP: a handshake is answered by the other kernel alone, and measured by this one. */

import { close } from "../libc.ts";
import {
  acceptConnection,
  establishedAfter,
  openConnection,
  openListener,
  socketAddress,
  stampClock,
  Waiter,
} from "./socket.ts";
import type { Handshakes, Question } from "./survey.ts";

/** A lost SYN is sent again after a second: what takes longer than this measures that, not the network. */
const PATIENCE = 950_000;
/** As many at a time as do not queue up behind each other. */
const BURST = 16;

/** `enter` takes this thread into a machine's namespace. */
export function measureHandshakes(
  addresses: readonly string[],
  port: number,
  question: Question & { kind: "handshake" },
  enter: (machine: number) => void,
): readonly Handshakes[] {
  const listeners = addresses.map((address, machine) => {
    enter(machine);
    return openListener(address, port);
  });
  const targets = addresses.map((address) => socketAddress(address, port));
  const ways = question.pairs.map(([from, to]) => ({ from, to, roundTrips: [] as number[] }));
  const tasks = Array.from({ length: question.rounds }, () => ways).flat();
  for (let start = 0; start < tasks.length; start += BURST) {
    const open = tasks.slice(start, start + BURST).map((way) => {
      enter(way.from);
      return { way, fd: openConnection(targets[way.to] as Uint8Array) };
    });
    let waiting = open;
    const end = stampClock() / 1000 + PATIENCE;
    while (waiting.length > 0 && stampClock() / 1000 < end) {
      new Waiter(
        waiting.map(({ fd }) => fd),
        4,
      ).wait(20_000);
      waiting = waiting.filter(({ way, fd }) => {
        const roundTrip = establishedAfter(fd);
        if (roundTrip !== null) way.roundTrips.push(roundTrip);
        return roundTrip === null;
      });
    }
    for (const { fd } of open) close(fd);
    for (const listener of listeners) {
      for (let fd = acceptConnection(listener); fd >= 0; fd = acceptConnection(listener)) close(fd);
    }
  }
  for (const listener of listeners) close(listener);
  return ways;
}
