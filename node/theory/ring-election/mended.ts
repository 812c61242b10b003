/**
 * The ring election where processes die, with the two mends that the second lecture names.
 *
 * `watcher`: the predecessor of who is to lead watches it, and starts a new run when it is silent. When that
 * one dies as well, nobody is left who would.
 * `detector`: everybody watches everybody, and whoever finds the one silent that is to lead starts a new run.
 * A detector that misses a death leaves a dead leader; one that is mistaken starts runs for ever, unless it
 * becomes more patient each time that it was mistaken.
 *
 * By both, who has forwarded an Election and hears of nobody elected for longer than a run takes starts
 * another.
 *
 * A run has a number, and who knows of a later one has nothing to do with an earlier one any more: else a
 * token whose owner died would go round for ever, and a dead beginner would silence all others. Who is taken
 * for dead is passed by. The lectures have neither.
 */

import type { Effect, Input, Process } from "../process.ts";

export interface MendedMessage {
  readonly kind: "Election" | "Elected" | "Alive";
  readonly run: number;
  readonly id: number;
  readonly initiator: number;
}

export interface Mend {
  readonly by: "watcher" | "detector";
  /** So many rounds of silence are taken for death. */
  readonly patience: number;
  /** Twice as patient each time that somebody taken for dead is heard. */
  readonly backsOff?: boolean;
  /** Ids whose death it never sees. */
  readonly misses?: readonly number[];
}

type Effects = readonly Effect<MendedMessage>[];

export class MendedRing implements Process<MendedMessage> {
  readonly #ids: readonly number[];
  readonly #place: number;
  readonly #mend: Mend;
  readonly #heardAt = new Map<number, number>();
  /** Taken for dead. */
  readonly #silent = new Set<number>();
  #patience: number;
  #round = 0;
  #run = 0;
  /** The greatest beginner of this run, and whether it has sent or forwarded anything for that one. */
  #initiator = -Infinity;
  #hasForwarded = false;
  /** Since when it has known nobody who leads. */
  #since = 0;
  /** Who is to lead, by all that it has seen of this run, and who does. */
  #greatest = -Infinity;
  #leader: number | null = null;

  /** Round the ring in the direction of travel, and where in it this one is. */
  constructor(ids: readonly number[], place: number, mend: Mend) {
    this.#ids = ids;
    this.#place = place;
    this.#mend = mend;
    this.#patience = mend.patience;
  }

  get leader(): number | null {
    return this.#leader;
  }

  /** How many runs it knows of. */
  get runs(): number {
    return this.#run;
  }

  step(input: Input<MendedMessage>): Effects {
    switch (input.kind) {
      case "begin":
        return this.#newRun();
      case "round":
        this.#round = input.number;
        return [...this.#sayAlive(), ...this.#look()];
      case "message":
        return this.#hear(this.#ids[input.from] as number, input.message);
      case "timeout":
        return [];
    }
  }

  get #id(): number {
    return this.#ids[this.#place] as number;
  }

  /** The next that is not taken for dead. */
  get #successor(): number {
    const { length } = this.#ids;
    for (let step = 1; step < length; step++) {
      const place = (this.#place + step) % length;
      if (!this.#silent.has(this.#ids[place] as number)) return place;
    }
    return this.#place;
  }

  #sayAlive(): Effects {
    const others = this.#ids.map((_, place) => place).filter((place) => place !== this.#place);
    return [{ kind: "send", to: others, message: this.#message("Alive", this.#id) }];
  }

  /** Those it watches, and who of them is silent. */
  #look(): Effects {
    const { by, misses = [] } = this.#mend;
    const next = this.#ids[(this.#place + 1) % this.#ids.length] as number;
    const watched = by === "watcher" ? [next] : this.#ids.filter((id) => id !== this.#id);
    const isToLead = (id: number): boolean => id === (this.#leader ?? this.#greatest);
    let isMissed = false;
    for (const id of watched) {
      const silence = this.#round - (this.#heardAt.get(id) ?? 0);
      if (silence <= this.#patience || this.#silent.has(id) || misses.includes(id)) continue;
      this.#silent.add(id);
      isMissed ||= isToLead(id);
    }
    const isOverdue =
      this.#hasForwarded && this.#leader === null && this.#round - this.#since > 3 * this.#ids.length;
    return isMissed || isOverdue ? this.#newRun() : [];
  }

  #newRun(): Effects {
    this.#enter(this.#run + 1);
    this.#initiator = this.#id;
    return this.#forward(this.#id);
  }

  #enter(run: number): void {
    this.#run = run;
    this.#initiator = -Infinity;
    this.#hasForwarded = false;
    this.#greatest = -Infinity;
    this.#leader = null;
    this.#since = this.#round;
  }

  #hear(from: number, message: MendedMessage): Effects {
    this.#heardAt.set(from, this.#round);
    if (this.#silent.delete(from) && this.#mend.backsOff === true) this.#patience *= 2;
    if (message.kind === "Alive" || message.run < this.#run) return [];
    if (message.run > this.#run) this.#enter(message.run);
    return message.kind === "Election" ? this.#elect(message) : this.#elected(message);
  }

  #elect({ id, initiator }: MendedMessage): Effects {
    if (initiator < this.#initiator) return [];
    if (initiator > this.#initiator) this.#hasForwarded = false;
    this.#initiator = initiator;
    if (id === this.#id) return this.#lead();
    if (id > this.#id) return this.#forward(id);
    return this.#hasForwarded ? [] : this.#forward(this.#id);
  }

  #forward(id: number): Effects {
    this.#hasForwarded = true;
    this.#greatest = Math.max(this.#greatest, id);
    // Who is alone has its own token back at once.
    return this.#successor === this.#place ? this.#lead() : [this.#send("Election", id)];
  }

  #lead(): Effects {
    this.#leader = this.#id;
    return [{ kind: "lead" }, this.#send("Elected", this.#id)];
  }

  #elected({ id }: MendedMessage): Effects {
    if (id === this.#id || this.#leader === id) return [];
    this.#leader = id;
    return [{ kind: "follow", leader: id }, this.#send("Elected", id)];
  }

  #send(kind: MendedMessage["kind"], id: number): Effect<MendedMessage> {
    return { kind: "send", to: [this.#successor], message: this.#message(kind, id) };
  }

  #message(kind: MendedMessage["kind"], id: number): MendedMessage {
    return { kind, run: this.#run, id, initiator: this.#initiator };
  }
}
