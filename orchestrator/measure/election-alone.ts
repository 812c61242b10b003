/**
 * How long the election of a plan takes when nothing but the ways takes time: the servers' own automata, on
 * the ways of the topology, without a service, a disk or a machine.
 *
 * First the one leads that is going to die; then each server notices that when it did in the run, and looks
 * for another. Who is elected there is who was elected in the run, because it is given the best score. Where
 * an election draws what it waits for, or it matters which of two messages is first, it is tried a few times.
 */

import type { Automaton, Effect, Input } from "#node/core/automaton.ts";
import type { ServerId } from "#node/core/identity.ts";
import { BLANK } from "#node/core/recovery.ts";
import { Random } from "#node/core/random.ts";
import type { Judge } from "#node/core/score.ts";
import { after, type Duration, instant, type Instant, seconds, timeOfDay } from "#node/core/time.ts";
import { type ElectionChoice, entryOf, valuesOf } from "#node/election/catalog.ts";
import type { ElectionProtocol } from "#node/election/election.ts";
import { oneWay } from "../topology/model.ts";
import type { Topology } from "../topology/topology.ts";

export interface Succession {
  readonly topology: Topology;
  readonly election: ElectionChoice;
  readonly dead: ServerId;
  readonly successor: ServerId;
  /** When each server that lives knows of the death, in milliseconds after it. */
  readonly noticedMs: (server: ServerId) => number;
  /** How good each is beside the others; otherwise all but the successor are alike. */
  readonly worth?: (server: ServerId) => number;
  /**
   * Ways take a little more or less, and a machine adds so much at most to a message: which of two is first
   * is left to chance.
   */
  readonly machine?: Duration;
}

export interface Alone {
  /** When each server that lives has elected the successor, in milliseconds after the death. */
  readonly elected: ReadonlyMap<ServerId, number>;
  /** Said from the death on, to one server each; null of an election that is never silent. */
  readonly messages: number | null;
}

/** So many times, each with other draws. */
const TRIES = 10;
const UNEVEN_TRIES = 100;
/** Of a way, as much less or more. */
const SHARE = 0.025;
const DEATH = instant(seconds(60));
const END = instant(seconds(180));
/** Who still speaks so long after all know is never silent. */
const SILENT = seconds(5);

/** At the latest, of a few tries. */
export function electedAlone(succession: Succession): Alone["elected"] | null {
  const longest = new Map<ServerId, number>();
  for (const { elected } of triedAlone(succession) ?? [])
    for (const [server, ms] of elected) longest.set(server, Math.max(ms, longest.get(server) ?? 0));
  return longest.size === 0 ? null : longest;
}

/** Null when it comes out otherwise. */
export function triedAlone(succession: Succession): readonly Alone[] | null {
  const count = succession.machine === undefined ? TRIES : UNEVEN_TRIES;
  const tries = Array.from({ length: count }, (_, index) => new Stage(succession, index + 1).play());
  const found = tries.filter((one) => one !== null);
  return found.length === count ? found : null;
}

type Election = Automaton<ElectionProtocol>;

class Stage {
  readonly #succession: Succession;
  readonly #random: Random;
  /** What will happen, the next first. */
  readonly #agenda: { readonly at: Instant; readonly happen: () => void }[] = [];
  #now = instant(0);
  readonly #elections = new Map<ServerId, Election>();
  readonly #timers = new Map<string, number>();
  readonly #elected = new Map<ServerId, { readonly leader: ServerId; readonly at: Instant }>();
  readonly #arrivals = new Map<string, Instant>();
  readonly #sent: Instant[] = [];
  #armings = 0;

  constructor(succession: Succession, seed: number) {
    this.#succession = succession;
    this.#random = new Random(seed);
    const servers = [...succession.topology.servers.keys()];
    const entry = entryOf(succession.election.name);
    const options = valuesOf(succession.election);
    for (const self of servers) {
      const seat = { self, servers, judge: this.#judge(self), mutant: null };
      this.#elections.set(self, entry.create(seat, options));
    }
    for (const self of servers) {
      const life = seed * 256 + self;
      this.#step(self, { kind: "start", recovered: BLANK, life, timeOfDay: timeOfDay(0) });
      for (const other of servers) if (other !== self) this.#step(self, { kind: "connected", server: other });
    }
    for (const self of servers) this.#elect(self);
  }

  /** Null when it does not come out like this. */
  play(): Alone | null {
    const { dead, successor, noticedMs } = this.#succession;
    this.#run(DEATH);
    if ([...this.#elected.values()].some(({ leader }) => leader !== dead)) return null;
    this.#elections.delete(dead);
    for (const server of this.#elections.keys()) {
      this.#at(instant(DEATH + noticedMs(server) * 1e3), () => {
        this.#step(server, { kind: "unreachable", server: dead });
        this.#elect(server);
      });
    }
    this.#run(END);
    const living = [...this.#elections.keys()];
    if (living.some((server) => this.#elected.get(server)?.leader !== successor)) return null;
    const elected = new Map(
      living.map((server) => [server, ((this.#elected.get(server)?.at ?? 0) - DEATH) / 1e3]),
    );
    return { elected, messages: this.#messages(Math.max(...elected.values())) };
  }

  #messages(untilMs: number): number | null {
    const last = this.#sent.at(-1) ?? DEATH;
    return last > DEATH + untilMs * 1e3 + SILENT ? null : this.#sent.length;
  }

  /** It led last, and is to be the next: nothing else matters. */
  #judge(self: ServerId): Judge {
    const { dead, successor, worth = () => 0 } = this.#succession;
    const own = self === dead ? Infinity : self === successor ? Number.MAX_VALUE : worth(self);
    return {
      ready: () => true,
      score: () => [own],
      compare: ([a = 0], [b = 0]) => (a === b ? 0 : a - b),
      explain: () => ({}),
    };
  }

  #run(until: Instant): void {
    for (let next = this.#agenda[0]; next !== undefined && next.at <= until; next = this.#agenda[0]) {
      this.#agenda.shift();
      this.#now = next.at;
      next.happen();
    }
    this.#now = until;
  }

  /** What happens at one instant happens in the order in which it was planned. */
  #at(at: Instant, happen: () => void): void {
    const later = this.#agenda.findIndex((planned) => planned.at > at);
    this.#agenda.splice(later === -1 ? this.#agenda.length : later, 0, { at, happen });
  }

  #elect(server: ServerId): void {
    this.#step(server, { kind: "request", request: { kind: "elect" } });
  }

  #step(server: ServerId, input: Input<ElectionProtocol>): void {
    const election = this.#elections.get(server);
    for (const effect of election?.step(input, this.#now) ?? []) this.#do(server, effect);
  }

  #do(server: ServerId, effect: Effect<ElectionProtocol>): void {
    switch (effect.kind) {
      case "send":
        for (const to of effect.to) this.#send(server, to, effect.message);
        return;
      case "arm": {
        const arming = ++this.#armings;
        const timer = `${server} ${effect.timer}`;
        this.#timers.set(timer, arming);
        this.#at(after(this.#now, effect.after), () => {
          if (this.#timers.get(timer) !== arming) return;
          this.#timers.delete(timer);
          this.#step(server, { kind: "timeout", timer: effect.timer });
        });
        return;
      }
      case "disarm":
        this.#timers.delete(`${server} ${effect.timer}`);
        return;
      case "output":
        if (effect.output.kind === "elected") {
          const { leader } = effect.output;
          // Votes of who follows already change nothing.
          if (this.#elected.get(server)?.leader !== leader)
            this.#elected.set(server, { leader, at: this.#now });
        } else if (effect.output.kind === "deposed") this.#elect(server);
        return;
      default:
    }
  }

  #way(from: ServerId, to: ServerId): number {
    const { topology, machine } = this.#succession;
    const way = oneWay(topology, from, to);
    if (machine === undefined) return way;
    return Math.round(way * (1 + SHARE * (2 * this.#random.unit() - 1)) + machine * this.#random.unit());
  }

  /** What is said on one way arrives in its order. */
  #send(from: ServerId, to: ServerId, message: unknown): void {
    if (this.#now >= DEATH) this.#sent.push(this.#now);
    const pair = `${from} ${to}`;
    const at = instant(Math.max(this.#now + this.#way(from, to), this.#arrivals.get(pair) ?? 0));
    this.#arrivals.set(pair, at);
    this.#at(at, () => this.#step(to, { kind: "message", from, message }));
  }
}
