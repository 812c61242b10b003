/** Round-trip times of TCP: a handshake is answered by the other kernel alone, and measured by this one. */

import { close } from "../libc.ts";
import {
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
/** Microseconds between two handshakes, so that they do not queue up behind each other. */
const SPACING = 1000;
const POLLOUT = 4;

interface Begun {
  readonly roundTrips: number[];
  readonly fd: number;
  /** Patience ends then. */
  readonly until: number;
}

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
  const start = clock();
  const end = start + tasks.length * SPACING + PATIENCE;
  let begun: readonly Begun[] = [];
  for (let next = 0; (next < tasks.length || begun.length > 0) && clock() < end; ) {
    const due = tasks.slice(next, Math.max(next, Math.ceil((clock() - start) / SPACING)));
    next += due.length;
    const added = due.map(({ from, to, roundTrips }) => {
      enter(from);
      return { roundTrips, fd: openConnection(targets[to] as Uint8Array), until: clock() + PATIENCE };
    });
    begun = [...begun, ...added];
    const waiter = new Waiter(
      begun.map(({ fd }) => fd),
      POLLOUT,
    );
    waiter.wait(next < tasks.length ? start + next * SPACING - clock() : end - clock());
    begun = begun.filter((handshake) => !settle(handshake));
  }
  for (const fd of [...begun.map((handshake) => handshake.fd), ...listeners]) close(fd);
  return ways;
}

const clock = (): number => stampClock() / 1000;

/** Whether the handshake is over, or was waited for long enough. */
function settle({ fd, roundTrips, until }: Begun): boolean {
  const roundTrip = establishedAfter(fd);
  if (roundTrip === null && clock() < until) return false;
  if (roundTrip !== null && roundTrip < PATIENCE) roundTrips.push(roundTrip);
  close(fd);
  return true;
}
