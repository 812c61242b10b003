/**
 * How long the election of a plan takes when nothing but the ways takes time: the servers' own automata, on
 * the ways of the topology, without a service, a disk or a machine.
 *
 * First the one leads that is going to die; then each server notices that when it did in the run, and looks
 * for another. Who is elected there is who was elected in the run, because it is given the best score. Where
 * an election draws what it waits for, it is tried a few times, and the longest counts.
 */

import type { Automaton, Effect, Input } from "#node/core/automaton.ts";
import type { ServerId } from "#node/core/identity.ts";
import { BLANK } from "#node/core/recovery.ts";
import type { Judge } from "#node/core/score.ts";
import { after, instant, type Instant, seconds, timeOfDay } from "#node/core/time.ts";
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
}

/** So many times, each with other draws. */
const TRIES = 10;
const DEATH = instant(seconds(60));
const END = instant(seconds(180));

/** When each server that lives has elected the successor, in milliseconds after the death. */
export function electedAlone(succession: Succession): ReadonlyMap<ServerId, number> | null {
  const longest = new Map<ServerId, number>();
  for (let seed = 1; seed <= TRIES; seed++) {
    const elected = new Alone(succession, seed).electedMs();
    if (elected === null) return null;
    for (const [server, ms] of elected) longest.set(server, Math.max(ms, longest.get(server) ?? 0));
  }
  return longest;
}

type Election = Automaton<ElectionProtocol>;

class Alone {
  readonly #succession: Succession;
  /** What will happen, the next first. */
  readonly #agenda: { readonly at: Instant; readonly happen: () => void }[] = [];
  #now = instant(0);
  readonly #elections = new Map<ServerId, Election>();
  readonly #timers = new Map<string, number>();
  readonly #elected = new Map<ServerId, { readonly leader: ServerId; readonly at: Instant }>();
  #armings = 0;

  constructor(succession: Succession, seed: number) {
    this.#succession = succession;
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
  electedMs(): ReadonlyMap<ServerId, number> | null {
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
    return new Map(living.map((server) => [server, ((this.#elected.get(server)?.at ?? 0) - DEATH) / 1e3]));
  }

  /** It led last, and is to be the next: nothing else matters. */
  #judge(self: ServerId): Judge {
    const { dead, successor } = this.#succession;
    const own = self === dead ? 2 : self === successor ? 1 : 0;
    return {
      ready: () => true,
      score: () => [own],
      compare: ([a = 0], [b = 0]) => a - b,
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

  #send(from: ServerId, to: ServerId, message: unknown): void {
    const { topology } = this.#succession;
    this.#at(after(this.#now, oneWay(topology, from, to)), () => {
      this.#step(to, { kind: "message", from, message });
    });
  }
}
