/**
 * Who hears what is sent to all: every machine joins a group and leaves it again, and of each message it is
 * told who did not hear it. Losses that are shared show in that many miss the same message.
 */

import { close } from "../libc.ts";
import type { Ends } from "./one-way.ts";
import { Mailbox, openMember, socketAddress, stampClock, Waiter } from "./socket.ts";
import type { Multicasts, Question } from "./survey.ts";

/** For private use (RFC 2365), and not what an election would take. */
const GROUP = "239.255.77.77";
const MESSAGE = 100;
/** Until the last report of who has joined has come through, in microseconds. */
const JOINING = 100_000;
/** Longer than any way; what is lost is waited for in vain. */
const STRAGGLERS = 1_000_000;

/** `enter` takes this thread into a machine's namespace. */
export function measureMulticast(
  { sockets, addresses, port }: Ends,
  { senders, rounds, interval }: Question & { kind: "multicast" },
  enter: (machine: number) => void,
): readonly Multicasts[] {
  const members = addresses.map((address, machine) => {
    enter(machine);
    return openMember(GROUP, address, port);
  });
  const waiter = new Waiter(members);
  const mailbox = new Mailbox();
  const group = socketAddress(GROUP, port);
  const heardBy = Array.from({ length: rounds }, () => new Set<number>());
  const until = (end: number): void => {
    for (let left = end - clock(); left > 0; left = end - clock()) {
      waiter.wait(left);
      for (const [machine, fd] of members.entries()) {
        if (!waiter.isReady(machine)) continue;
        while (mailbox.receive(fd)) heardBy[mailbox.words[0] as number]?.add(machine);
      }
    }
  };
  const sender = (number: number): number => senders[number % senders.length] as number;
  const start = clock() + JOINING;
  for (let number = 0; number < rounds; number++) {
    until(start + number * interval);
    mailbox.words[0] = number;
    mailbox.send(sockets[sender(number)] as number, MESSAGE, group);
  }
  until(clock() + STRAGGLERS);
  for (const fd of members) close(fd);
  const machines = addresses.map((_, machine) => machine);
  return senders.map((from) => ({
    from,
    missed: heardBy.flatMap((heard, number) =>
      sender(number) === from ? [machines.filter((to) => to !== from && !heard.has(to))] : [],
    ),
  }));
}

const clock = (): number => stampClock() / 1000;
