/**
 * One server of a virtual ensemble: a machine with a clock and a disk, and perhaps a process that lives on
 * it.
 *
 * Inputs wait in an inbox when they cannot be handled at once: because another is being handled, or because
 * the process is paused. Timers that ran out wait there as well and are looked at again when their turn
 * comes, for a disarmed timer never fires.
 */

import { unreachable } from "../../core/assert.ts";
import type { Automaton, Effect, Input, Protocol } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import { after, type Duration, type Instant } from "../../core/time.ts";
import type { Agenda } from "./agenda.ts";
import type { Clock } from "./clock.ts";
import type { Death, Storage } from "./storage.ts";

const TURN = { kind: "turn" } as const;

/** What a server's process can do to the world around it, and who is told. */
export interface Surroundings<P extends Protocol> {
  readonly agenda: Agenda;
  send(from: ServerId, to: readonly ServerId[], message: P["message"]): void;
  close(server: ServerId, peer: ServerId, reason: string): void;
  /** About to be handled, and about to be done. */
  input(server: ServerId, input: Input<P>): void;
  effect(server: ServerId, effect: Effect<P>): void;
  output(server: ServerId, output: P["output"]): void;
  /** The server was given something, and wants a turn when nothing more is at hand. */
  stirred(server: VirtualServer<P>): void;
  /** The automaton threw. */
  failed(server: ServerId, error: unknown): never;
}

export class VirtualServer<P extends Protocol> {
  readonly id: ServerId;
  readonly clock: Clock;
  readonly storage: Storage;
  readonly #around: Surroundings<P>;
  #life: Life<P> | null = null;

  constructor(id: ServerId, clock: Clock, storage: Storage, around: Surroundings<P>) {
    this.id = id;
    this.clock = clock;
    this.storage = storage;
    this.#around = around;
  }

  /** Null when no process runs. */
  get automaton(): Automaton<P> | null {
    return this.#life?.automaton ?? null;
  }

  begin(automaton: Automaton<P>): void {
    this.#life = new Life(automaton);
  }

  end(how: Death): void {
    this.#life = null;
    this.storage.crash(how);
  }

  pause(): void {
    if (this.#life !== null) this.#life.paused = true;
  }

  resume(): void {
    const life = this.#life;
    if (life === null || !life.paused) return;
    life.paused = false;
    if (life.stirred) this.#around.stirred(this);
    const waiting = life.next();
    if (waiting !== null) this.#handle(life, waiting);
  }

  give(input: Input<P>): void {
    const life = this.#life;
    if (life === null) return;
    if (life.busy || life.paused) life.wait(input);
    else this.#handle(life, input);
  }

  /** Its clock has leapt ahead: what it waits for is due so much sooner. */
  leap(by: Duration): void {
    this.clock.leap(by);
    const life = this.#life;
    if (life === null) return;
    for (const { timer, arming, due } of life.armed) this.#await(life, timer, arming, due);
  }

  /** Somebody sets its wall clock: its process sees that before anything else. */
  jump(by: Duration): void {
    this.clock.jump(by);
    if (this.#life !== null) this.#life.clockWasSet = true;
  }

  /** The process dropped its connection to a server: what it had not read yet is gone. */
  dropMessagesFrom(peer: ServerId): void {
    this.#life?.dropMessagesFrom(peer);
  }

  /** Nothing more is at hand, so that what was held back goes out and what was appended is written. */
  turn(): void {
    const life = this.#life;
    if (life === null || life.paused || !life.stirred) return;
    life.stirred = false;
    this.#handle(life, TURN);
    if (this.#life === life) this.storage.flush();
  }

  /** Handles this input, and what came to wait for it. */
  #handle(life: Life<P>, first: Input<P>): void {
    life.busy = true;
    try {
      for (let input: Input<P> | null = first; input !== null; input = life.next()) {
        if (input.kind !== "turn" && !life.stirred) {
          life.stirred = true;
          this.#around.stirred(this);
        }
        if (life.clockWasSet) this.#lookAtWallClock(life);
        if (this.#life === life) this.#step(life, input);
        if (this.#life !== life) return;
        if (life.paused) break;
      }
    } catch (error) {
      this.#around.failed(this.id, error);
    }
    life.busy = false;
  }

  #lookAtWallClock(life: Life<P>): void {
    life.clockWasSet = false;
    this.#step(life, { kind: "clock", timeOfDay: this.clock.timeOfDay(this.#around.agenda.now) });
  }

  #step(life: Life<P>, input: Input<P>): void {
    this.#around.input(this.id, input);
    for (const effect of life.automaton.step(input, this.#now)) {
      this.#around.effect(this.id, effect);
      this.#do(life, effect);
      if (this.#life !== life) return;
    }
  }

  #do(life: Life<P>, effect: Effect<P>): void {
    switch (effect.kind) {
      case "send":
        this.#around.send(this.id, effect.to, effect.message);
        return;
      case "arm": {
        const { timer } = effect;
        const due = after(this.#now, effect.after);
        this.#await(life, timer, life.arm(timer, due), due);
        return;
      }
      case "disarm":
        life.disarm(effect.timer);
        return;
      case "append":
        this.storage.append(effect.records);
        return;
      case "close":
        this.#around.close(this.id, effect.server, effect.reason);
        return;
      case "output":
        this.#around.output(this.id, effect.output);
        return;
      default:
        unreachable(effect);
    }
  }

  /** `due` is by the server's own clock. */
  #await(life: Life<P>, timer: P["timer"], arming: number, due: Instant): void {
    this.#around.agenda.at(this.clock.when(due), () => this.#fire(life, timer, arming));
  }

  #fire(life: Life<P>, timer: P["timer"], arming: number): void {
    if (this.#life !== life || !life.isArmed(timer, arming)) return;
    if (life.busy || life.paused) {
      life.wait({ kind: "timeout", timer }, arming);
      return;
    }
    life.disarm(timer);
    this.#handle(life, { kind: "timeout", timer });
  }

  get #now(): Instant {
    return this.clock.read(this.#around.agenda.now);
  }
}

/** One process, from its start to its end. */
class Life<P extends Protocol> {
  readonly automaton: Automaton<P>;
  paused = false;
  /** An input is being handled, or its effects are being done. */
  busy = false;
  /** Something was handled since the last `turn`. */
  stirred = false;
  /** And it has not been told yet. */
  clockWasSet = false;
  /** Each arming has a number of its own; a timer fires only for its latest. */
  readonly #armed = new Map<P["timer"], { readonly arming: number; readonly due: Instant }>();
  #armings = 0;
  #inbox: Waiting<P>[] = [];

  constructor(automaton: Automaton<P>) {
    this.automaton = automaton;
  }

  arm(timer: P["timer"], due: Instant): number {
    this.#armings += 1;
    this.#armed.set(timer, { arming: this.#armings, due });
    return this.#armings;
  }

  /** What it waits for, until when. */
  get armed(): readonly { readonly timer: P["timer"]; readonly arming: number; readonly due: Instant }[] {
    return [...this.#armed].map(([timer, armed]) => ({ timer, ...armed }));
  }

  disarm(timer: P["timer"]): void {
    this.#armed.delete(timer);
  }

  isArmed(timer: P["timer"], arming: number): boolean {
    return this.#armed.get(timer)?.arming === arming;
  }

  wait(input: Input<P>, arming = 0): void {
    this.#inbox.push({ input, arming });
  }

  /** The next input that is still to be handled. */
  next(): Input<P> | null {
    while (this.#inbox.length > 0) {
      const { input, arming } = this.#inbox.shift() as Waiting<P>;
      if (input.kind !== "timeout") return input;
      if (!this.isArmed(input.timer, arming)) continue;
      this.disarm(input.timer);
      return input;
    }
    return null;
  }

  dropMessagesFrom(server: ServerId): void {
    this.#inbox = this.#inbox.filter(({ input }) => input.kind !== "message" || input.from !== server);
  }
}

interface Waiting<P extends Protocol> {
  readonly input: Input<P>;
  /** Where a timeout comes from. */
  readonly arming: number;
}
