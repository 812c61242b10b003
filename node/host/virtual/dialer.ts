/**
 * How servers come to be connected: of each pair the greater dials the smaller, and dials again when it
 * fails, less and less often. It takes a round trip; nobody answers through a cut link or from a machine that
 * is off, and a machine without a process refuses.
 */

import type { Random } from "../../core/random.ts";
import { type Duration, microseconds } from "../../core/time.ts";
import type { Agenda } from "./agenda.ts";
import type { Link, VirtualMachine } from "./connection.ts";
import { drawDelay } from "./link.ts";

export interface Patience {
  /** How long a dialer waits for an answer, beyond two undisturbed round trips. */
  readonly answer: Duration;
  /** The first wait before dialing again; doubled up to the last. */
  readonly first: Duration;
  readonly last: Duration;
}

export class Dialer {
  readonly caller: VirtualMachine;
  readonly listener: VirtualMachine;
  readonly #there: Link;
  readonly #back: Link;
  readonly #patience: Patience;
  readonly #agenda: Agenda;
  readonly #random: Random;
  /** Called with the life of the listener that answered. */
  readonly #onAnswer: (dialer: Dialer, life: number) => void;
  #wait: Duration;
  /** Counts calls: what belongs to an earlier one is void. */
  #call = 0;

  constructor(
    {
      caller,
      listener,
      there,
      back,
    }: { caller: VirtualMachine; listener: VirtualMachine; there: Link; back: Link },
    patience: Patience,
    agenda: Agenda,
    random: Random,
    onAnswer: (dialer: Dialer, life: number) => void,
  ) {
    this.caller = caller;
    this.listener = listener;
    this.#there = there;
    this.#back = back;
    this.#patience = patience;
    this.#agenda = agenda;
    this.#random = random;
    this.#onAnswer = onAnswer;
    this.#wait = patience.first;
  }

  /** The caller's process has just begun. */
  begin(): void {
    this.#wait = this.#patience.first;
    this.#dial();
  }

  /** The connection ended. */
  again(): void {
    const call = ++this.#call;
    this.#agenda.after(microseconds(this.#wait * (0.5 + 0.5 * this.#random.unit())), () => {
      if (this.#valid(call)) this.#dial();
    });
    this.#wait = Math.min(2 * this.#wait, this.#patience.last) as Duration;
  }

  #dial(): void {
    const call = ++this.#call;
    const roundTrip = this.#there.shape.delay + this.#back.shape.delay;
    this.#agenda.after(this.#patience.answer + 2 * roundTrip, () => {
      if (this.#valid(call)) this.again();
    });
    this.#agenda.after(drawDelay(this.#there.shape, this.#random), () => {
      if (!this.#there.cut && this.listener.on) this.#answer(call, this.listener.process, this.listener.life);
    });
  }

  #answer(call: number, accepted: boolean, life: number): void {
    this.#agenda.after(drawDelay(this.#back.shape, this.#random), () => {
      if (this.#back.cut || !this.#valid(call)) return;
      if (!accepted) {
        this.again();
        return;
      }
      this.#call += 1;
      this.#wait = this.#patience.first;
      this.#onAnswer(this, life);
    });
  }

  #valid = (call: number): boolean => this.#call === call && this.caller.process;
}
