/**
 * One server of a virtual ensemble: a machine with a clock and a disk, and perhaps a process, whose life this
 * is.
 *
 * Inputs wait in an inbox when they cannot be handled at once: because another is being handled, or because
 * the process is paused. Timers that ran out wait there as well and are looked at again when their turn
 * comes, for a disarmed timer never fires.
 */

import type { Automaton, Input, Protocol } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import type { Clock } from "./clock.ts";
import type { Disk } from "./disk.ts";

export interface Server<P extends Protocol> {
  readonly id: ServerId;
  readonly clock: Clock;
  readonly disk: Disk;
  life: Life<P> | null;
}

export class Life<P extends Protocol> {
  readonly automaton: Automaton<P>;
  paused = false;
  /** An input is being handled, or its effects are being done. */
  busy = false;
  /** Something was handled since the last `turn`. */
  stirred = false;
  /** Each arming has a number of its own; a timer fires only for its latest. */
  readonly #armed = new Map<P["timer"], number>();
  #armings = 0;
  #inbox: Waiting<P>[] = [];

  constructor(automaton: Automaton<P>) {
    this.automaton = automaton;
  }

  arm(timer: P["timer"]): number {
    this.#armings += 1;
    this.#armed.set(timer, this.#armings);
    return this.#armings;
  }

  disarm(timer: P["timer"]): void {
    this.#armed.delete(timer);
  }

  isArmed(timer: P["timer"], arming: number): boolean {
    return this.#armed.get(timer) === arming;
  }

  /** Keeps an input for later; a timeout with the arming that it comes from. */
  wait(input: Input<P>, arming = 0): void {
    this.#inbox.push({ input, arming });
  }

  /** The next input that is still to be handled. */
  next(): Input<P> | null {
    for (;;) {
      const waiting = this.#inbox.shift();
      if (waiting === undefined) return null;
      const { input, arming } = waiting;
      if (input.kind !== "timeout") return input;
      if (!this.isArmed(input.timer, arming)) continue;
      this.disarm(input.timer);
      return input;
    }
  }

  /** The process dropped its connection to a server: what it had not read yet is gone. */
  dropMessagesFrom(server: ServerId): void {
    this.#inbox = this.#inbox.filter(({ input }) => input.kind !== "message" || input.from !== server);
  }
}

interface Waiting<P extends Protocol> {
  readonly input: Input<P>;
  readonly arming: number;
}
