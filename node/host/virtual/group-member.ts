/**
 * One place of a virtual group: a machine with a clock, and perhaps a member that lives on it.
 *
 * Followers arm one and the same timer with every message that comes, so arming only writes down when; the
 * agenda hears of it when the new moment is earlier than the one it knows.
 */

import { unreachable } from "../../core/assert.ts";
import type { Protocol } from "../../core/automaton.ts";
import type { GroupEffect, GroupInput, Member } from "../../core/group.ts";
import type { MemberId } from "../../core/identity.ts";
import { after, type Duration, type Instant } from "../../core/time.ts";
import type { Clock } from "./clock.ts";

/** What a member can do to the world around it, and who is told. */
export interface GroupSurroundings<P extends Protocol> {
  readonly now: Instant;
  plan(at: Instant, ring: () => void): void;
  announce(from: MemberId, message: P["message"]): void;
  input(member: MemberId, input: GroupInput<P>): void;
  output(member: MemberId, output: P["output"]): void;
  /** The member threw. */
  failed(member: MemberId, error: unknown): never;
}

interface Timer<Name> {
  readonly name: Name;
  /** In the time of the group; null when it is not armed. */
  due: Instant | null;
  /** The entry of the agenda that counts; null when there is none. */
  planned: Instant | null;
}

interface Life<P extends Protocol> {
  readonly member: Member<P>;
  readonly timers: Map<P["timer"], Timer<P["timer"]>>;
  /** Inputs that came while another was being handled. */
  readonly inbox: GroupInput<P>[];
  isBusy: boolean;
}

export class GroupPlace<P extends Protocol> {
  readonly id: MemberId;
  readonly clock: Clock;
  readonly #around: GroupSurroundings<P>;
  #life: Life<P> | null = null;

  constructor(id: MemberId, clock: Clock, around: GroupSurroundings<P>) {
    this.id = id;
    this.clock = clock;
    this.#around = around;
  }

  /** Null when nobody lives here. */
  get member(): Member<P> | null {
    return this.#life?.member ?? null;
  }

  begin(member: Member<P>, life: number): void {
    this.#life = { member, timers: new Map(), inbox: [], isBusy: false };
    this.give({ kind: "start", life });
  }

  end(): void {
    this.#life = null;
  }

  give(first: GroupInput<P>): void {
    const life = this.#life;
    if (life === null) return;
    if (life.isBusy) {
      life.inbox.push(first);
      return;
    }
    life.isBusy = true;
    try {
      for (let input: GroupInput<P> | undefined = first; input !== undefined; input = life.inbox.shift()) {
        this.#step(life, input);
        if (this.#life !== life) return;
      }
    } catch (error) {
      this.#around.failed(this.id, error);
    }
    life.isBusy = false;
  }

  #step(life: Life<P>, input: GroupInput<P>): void {
    this.#around.input(this.id, input);
    for (const effect of life.member.step(input, this.clock.read(this.#around.now))) {
      this.#do(life, effect);
      if (this.#life !== life) return;
    }
  }

  #do(life: Life<P>, effect: GroupEffect<P>): void {
    switch (effect.kind) {
      case "announce":
        this.#around.announce(this.id, effect.message);
        return;
      case "arm":
        this.#arm(life, effect.timer, effect.after);
        return;
      case "disarm": {
        const timer = life.timers.get(effect.timer);
        if (timer !== undefined) timer.due = null;
        return;
      }
      case "output":
        this.#around.output(this.id, effect.output);
        return;
      default:
        unreachable(effect);
    }
  }

  #arm(life: Life<P>, name: P["timer"], duration: Duration): void {
    let timer = life.timers.get(name);
    if (timer === undefined) {
      timer = { name, due: null, planned: null };
      life.timers.set(name, timer);
    }
    const due = this.clock.when(after(this.clock.read(this.#around.now), duration));
    timer.due = due;
    if (timer.planned === null || due < timer.planned) this.#plan(life, timer, due);
  }

  #plan(life: Life<P>, timer: Timer<P["timer"]>, at: Instant): void {
    timer.planned = at;
    this.#around.plan(at, () => {
      if (this.#life !== life || timer.planned !== at) return;
      timer.planned = null;
      if (timer.due === null) return;
      if (timer.due > at) this.#plan(life, timer, timer.due);
      else {
        timer.due = null;
        this.give({ kind: "timeout", timer: timer.name });
      }
    });
  }
}
