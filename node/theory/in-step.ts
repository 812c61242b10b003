/**
 * Processes in step: every message takes one unit of time, or as many whole units as `delay` says, and what
 * falls on one instant happens in the order in which it was caused, messages before timers.
 *
 * The time of an election in units is how many messages follow one another in it. With `rounds` each process
 * is told at the beginning of every unit that a round begins: what it says then is heard at the round's end.
 */

import { assert } from "../core/assert.ts";
import { Ledger } from "./ledger.ts";
import type { Outcome, Step } from "./outcome.ts";
import type { Effect, Input, Message, Process, Way } from "./process.ts";

export interface Cast<M extends Message> {
  /** By place; round a ring in the direction of travel. */
  readonly processes: readonly Process<M>[];
  /** By place, as others speak of them. */
  readonly ids: readonly number[];
  /** Places that look for a leader by themselves, at the beginning. */
  readonly initiators: readonly number[];
  /** From which instant on nobody lives at a place: what arrives there is lost. */
  readonly deaths?: ReadonlyMap<number, number>;
  readonly rounds?: boolean;
  /** Whole units that a message takes from place to place: in rounds, how many it takes to be heard. */
  readonly delay?: (from: number, to: number) => number;
  readonly watch?: (step: Step<M>) => void;
  /** Looked at after each unit: true ends it. */
  readonly until?: (now: number) => boolean;
  /** An election that costs more is given up. */
  readonly most?: number;
}

export const inStep = <M extends Message>(cast: Cast<M>): Outcome => new InStep(cast).run();

/** What happens at one instant, in order: first messages arrive, then timers fire. */
interface Due<M extends Message> {
  readonly places: number[];
  readonly inputs: Input<M>[];
  readonly timers: Timer<M>[];
}

interface Timer<M extends Message> {
  readonly place: number;
  readonly input: Extract<Input<M>, { kind: "timeout" }>;
}

class InStep<M extends Message> {
  readonly #cast: Cast<M>;
  readonly #size: number;
  readonly #ledger: Ledger;
  /** By the instant at which they arrive. */
  readonly #dues = new Map<number, Due<M>>();
  readonly #timers = new Map<string, Timer<M>["input"]>();
  #next: Due<M>;
  #now = 0;

  constructor(cast: Cast<M>) {
    this.#cast = cast;
    this.#size = cast.processes.length;
    this.#ledger = new Ledger(cast.ids);
    this.#ledger.undecided -= cast.deaths?.size ?? 0;
    this.#next = this.#dueAt(1);
  }

  run(): Outcome {
    const { initiators, rounds = false, until, most = Infinity } = this.#cast;
    let quietAt = 0;
    for (const place of initiators) this.#step(place, { kind: "begin" });
    for (;;) {
      if (rounds) this.#beginRound();
      if (!this.#isUnderWay && (!rounds || this.#ledger.undecided <= 0))
        return this.#ledger.close(quietAt, "quiet");
      this.#now += 1;
      const { places, inputs, timers } = this.#next;
      this.#dues.delete(this.#now);
      this.#next = this.#dueAt(this.#now + 1);
      if (places.length > 0) quietAt = this.#now;
      for (let index = 0; index < places.length; index++)
        this.#step(places[index] as number, inputs[index] as Input<M>);
      for (const timer of timers) this.#fire(timer);
      if (until?.(this.#now) === true) return this.#ledger.close(quietAt, "told to end");
      if (this.#ledger.carried > most || this.#now > most) return this.#ledger.close(quietAt, "given up");
    }
  }

  #beginRound(): void {
    const input: Input<M> = { kind: "round", number: this.#now + 1 };
    for (let place = 0; place < this.#size; place++) this.#step(place, input);
  }

  get #isUnderWay(): boolean {
    return this.#dues.size > 1 || this.#next.places.length + this.#next.timers.length > 0;
  }

  #fire({ place, input }: Timer<M>): void {
    const name = `${place} ${input.timer}`;
    if (this.#timers.get(name) !== input) return;
    this.#timers.delete(name);
    this.#step(place, input);
  }

  #step(place: number, input: Input<M>): void {
    const { deaths, processes, watch } = this.#cast;
    if (deaths !== undefined && (deaths.get(place) ?? Infinity) <= this.#now) return;
    const effects = (processes[place] as Process<M>).step(input);
    watch?.({ at: this.#now, place, input, effects });
    for (let index = 0; index < effects.length; index++) this.#do(place, effects[index] as Effect<M>);
  }

  #do(place: number, effect: Effect<M>): void {
    switch (effect.kind) {
      case "pass on":
        this.#send(place, place + 1 === this.#size ? 0 : place + 1, "on", effect.message);
        break;
      case "pass back":
        this.#send(place, place === 0 ? this.#size - 1 : place - 1, "back", effect.message);
        break;
      case "send":
        for (const to of effect.to) this.#send(place, to, "on", effect.message);
        break;
      case "arm": {
        const input = { kind: "timeout", timer: effect.timer } as const;
        this.#timers.set(`${place} ${effect.timer}`, input);
        this.#dueIn(effect.after).timers.push({ place, input });
        break;
      }
      case "disarm":
        this.#timers.delete(`${place} ${effect.timer}`);
        break;
      default:
        this.#ledger.decide(place, effect, this.#now);
    }
  }

  #send(from: number, to: number, way: Way, message: M): void {
    this.#ledger.count(message);
    const { delay } = this.#cast;
    const { places, inputs } = delay === undefined ? this.#next : this.#dueIn(delay(from, to));
    places.push(to);
    inputs.push({ kind: "message", from, way, message });
  }

  #dueIn(units: number): Due<M> {
    assert(Number.isInteger(units) && units >= 1, () => `a delay of ${units} is no whole number of units`);
    return units === 1 ? this.#next : this.#dueAt(this.#now + units);
  }

  #dueAt(instant: number): Due<M> {
    const known = this.#dues.get(instant);
    if (known !== undefined) return known;
    const fresh: Due<M> = { places: [], inputs: [], timers: [] };
    this.#dues.set(instant, fresh);
    return fresh;
  }
}
