/**
 * An election on paper: a few servers, fixed delays between them, and a story of what everybody does.
 *
 * Enough of a network to see an election alone (no heartbeats, no Zab), with nothing left to chance: messages
 * of a pair arrive in order after their delay, timers fire when due, and what happens at the same instant
 * happens in the order it was caused. A server whose process dies is noticed by all others after their delay.
 */

import type { Automaton, Effect, Input } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import { BLANK } from "../../core/recovery.ts";
import type { Round } from "../../core/score.ts";
import { after, type Duration, type Instant, instant, timeOfDay } from "../../core/time.ts";
import type { Epoch } from "../../core/zxid.ts";
import { candidateOf } from "../../telemetry/facts.ts";
import type { ElectionOutput, ElectionProtocol } from "../../election/election.ts";

export interface Cast<Message> {
  readonly servers: readonly ServerId[];
  /** Time from one server to the other. */
  readonly delay: (from: ServerId, to: ServerId) => Duration;
  /** A new server, at the start and after each crash. */
  readonly enter: (server: ServerId) => Automaton<ElectionProtocol<Message>>;
  /** How fast its clock goes: 1, unless told otherwise. */
  readonly rate?: (server: ServerId) => number;
  /** A message in a few words. */
  readonly say: (message: Message) => string;
}

export interface Elected {
  readonly at: Instant;
  readonly leader: ServerId;
  readonly round: Round;
}

interface Reign {
  readonly leader: ServerId;
  readonly from: Instant;
  until: Instant | null;
}

/** One message to one server, whether or not it arrives. */
export interface Sent<Message> {
  readonly at: Instant;
  readonly from: ServerId;
  readonly to: ServerId;
  readonly message: Message;
}

interface Actor<Message> {
  readonly election: Automaton<ElectionProtocol<Message>>;
  /** What was sent to an earlier life does not arrive. */
  readonly life: number;
  readonly timers: Map<string, number>;
}

interface Event {
  readonly at: Instant;
  readonly order: number;
  readonly happen: () => void;
}

export class Rehearsal<Message> {
  readonly #cast: Cast<Message>;
  readonly #actors = new Map<ServerId, Actor<Message>>();
  readonly #agenda: Event[] = [];
  readonly #lines: string[] = [];
  readonly #elected = new Map<ServerId, Elected>();
  readonly #isolated = new Set<ServerId>();
  readonly #sent: Sent<Message>[] = [];
  /** Pairs without a connection, both ways. */
  readonly #cut = new Set<string>();
  readonly #reigns: Reign[] = [];
  #now = instant(0);
  #scheduled = 0;
  #lives = 0;

  constructor(cast: Cast<Message>) {
    this.#cast = cast;
  }

  /** Starts a server and connects it with all that run; it is asked to elect at once. */
  start(at: Duration, ...servers: ServerId[]): this {
    return this.#direct(at, () => {
      for (const server of servers) this.#enter(server);
      for (const server of servers) this.#elect(server, "starts, and looks for a leader");
    });
  }

  /** Starts a server and connects it with all that run. */
  enter(at: Duration, ...servers: ServerId[]): this {
    return this.#direct(at, () => {
      for (const server of servers) this.#enter(server);
    });
  }

  /** The service of this server found no lawful leader. */
  elect(at: Duration, ...servers: ServerId[]): this {
    return this.#direct(at, () => {
      for (const server of servers) this.#elect(server, "looks for a leader");
    });
  }

  /** The service of all that follow this leader is led. */
  serve(at: Duration, leader: ServerId, epoch: Epoch): this {
    return this.#direct(at, () => {
      for (const [server, { leader: followed }] of this.#elected) {
        if (followed !== leader) continue;
        this.#note(server, `serves under ${name(leader)} in epoch ${epoch}`);
        this.#step(server, { kind: "request", request: { kind: "led", leader, epoch } });
      }
    });
  }

  /**
   * The process of this server dies. Whoever notices and followed it looks for another leader, as its service
   * would.
   */
  crash(at: Duration, server: ServerId): this {
    return this.#direct(at, () => {
      this.#note(server, "dies");
      this.#actors.delete(server);
      this.#elected.delete(server);
      for (const other of this.#actors.keys()) {
        this.#schedule(this.#cast.delay(server, other), () => {
          if (!this.#actors.has(server)) this.#notice(other, server, "down");
        });
      }
    });
  }

  /** From now on this server hears nothing and nobody hears it; nobody is told. */
  isolate(at: Duration, server: ServerId): this {
    return this.#direct(at, () => {
      this.#note(server, "is cut off");
      this.#isolated.add(server);
    });
  }

  rejoin(at: Duration, server: ServerId): this {
    return this.#direct(at, () => {
      this.#note(server, "is back");
      this.#isolated.delete(server);
    });
  }

  /**
   * The connections between two groups end; each end notices after its delay. Whoever followed somebody on
   * the other side looks for another leader, as its service would.
   */
  cut(at: Duration, group: readonly ServerId[], others: readonly ServerId[]): this {
    return this.#direct(at, () => {
      for (const one of group) for (const other of others) this.#cutPair(one, other);
    });
  }

  /** What was cut is connected again. */
  mend(at: Duration, group: readonly ServerId[], others: readonly ServerId[]): this {
    return this.#direct(at, () => {
      for (const one of group) {
        for (const other of others) {
          this.#cut.delete(`${one} ${other}`);
          this.#cut.delete(`${other} ${one}`);
          this.#connect(one, other);
        }
      }
    });
  }

  /** Lets everything happen up to a time. */
  play(until: Duration): this {
    for (;;) {
      const next = this.#agenda.reduce<Event | null>(earlier, null);
      if (next === null || next.at > until) return this;
      this.#agenda.splice(this.#agenda.indexOf(next), 1);
      this.#now = next.at;
      next.happen();
    }
  }

  /** What happened, one line each. */
  get transcript(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  /** The last election of each server that lives. */
  get elected(): ReadonlyMap<ServerId, Elected> {
    return this.#elected;
  }

  /** What was sent to each server, as it left. */
  get sent(): readonly Sent<Message>[] {
    return this.#sent;
  }

  /** Who elected itself when, and until when it took itself for the leader; null: to the end. */
  get reigns(): readonly Readonly<Reign>[] {
    return this.#reigns;
  }

  #notice(server: ServerId, gone: ServerId, how: string): void {
    if (!this.#actors.has(server)) return;
    this.#note(server, `notices that ${name(gone)} is ${how}`);
    this.#step(server, { kind: "unreachable", server: gone });
    if (this.#elected.get(server)?.leader === gone) this.#elect(server, "looks for a leader");
  }

  #cutPair(one: ServerId, other: ServerId): void {
    for (const [from, to] of [[one, other] as const, [other, one] as const]) {
      this.#cut.add(`${from} ${to}`);
      this.#schedule(this.#cast.delay(from, to), () => {
        if (this.#cut.has(`${from} ${to}`)) this.#notice(to, from, "out of reach");
      });
    }
  }

  #connect(one: ServerId, other: ServerId): void {
    if (!this.#actors.has(one) || !this.#actors.has(other) || this.#cut.has(`${one} ${other}`)) return;
    this.#step(one, { kind: "connected", server: other });
    this.#step(other, { kind: "connected", server: one });
  }

  #enter(server: ServerId): void {
    this.#lives += 1;
    const election = this.#cast.enter(server);
    this.#actors.set(server, { election, life: this.#lives, timers: new Map() });
    this.#step(server, { kind: "start", recovered: BLANK, life: this.#lives, timeOfDay: timeOfDay(0) });
    for (const other of this.#actors.keys()) if (other !== server) this.#connect(server, other);
  }

  #elect(server: ServerId, line: string): void {
    this.#note(server, line);
    this.#step(server, { kind: "request", request: { kind: "elect" } });
  }

  #step(server: ServerId, input: Input<ElectionProtocol<Message>>): void {
    const actor = this.#actors.get(server);
    if (actor === undefined) return;
    const own = instant(Math.round(this.#now * this.#rate(server)));
    for (const effect of actor.election.step(input, own)) this.#do(server, actor, effect);
  }

  #rate(server: ServerId): number {
    return this.#cast.rate?.(server) ?? 1;
  }

  #do(server: ServerId, actor: Actor<Message>, effect: Effect<ElectionProtocol<Message>>): void {
    switch (effect.kind) {
      case "send":
        this.#note(server, `-> ${effect.to.map(name).join(" ")}: ${this.#cast.say(effect.message)}`);
        for (const to of effect.to) this.#send(server, to, effect.message);
        break;
      case "arm": {
        const armed = this.#scheduled;
        actor.timers.set(effect.timer, armed);
        this.#schedule((effect.after / this.#rate(server)) as Duration, () => {
          if (actor.timers.get(effect.timer) !== armed || this.#actors.get(server) !== actor) return;
          actor.timers.delete(effect.timer);
          this.#note(server, `${effect.timer} timer fires`);
          this.#step(server, { kind: "timeout", timer: effect.timer });
        });
        break;
      }
      case "disarm":
        actor.timers.delete(effect.timer);
        break;
      case "output":
        this.#tell(server, effect.output);
        break;
      case "close":
        this.#note(server, `closes the connection to ${name(effect.server)}: ${effect.reason}`);
        break;
      default:
    }
  }

  #send(from: ServerId, to: ServerId, message: Message): void {
    const life = this.#actors.get(to)?.life;
    this.#sent.push({ at: this.#now, from, to, message });
    if (this.#isolated.has(from) || this.#cut.has(`${from} ${to}`)) return;
    this.#schedule(this.#cast.delay(from, to), () => {
      if (this.#cut.has(`${from} ${to}`)) return;
      if (life === undefined || this.#actors.get(to)?.life !== life || this.#isolated.has(to)) return;
      this.#note(to, `<- ${name(from)}: ${this.#cast.say(message)}`);
      this.#step(to, { kind: "message", from, message });
    });
  }

  #tell(server: ServerId, output: ElectionOutput): void {
    const stands = output.kind === "observed" ? candidateOf(output.facts) : null;
    if (stands !== null) this.#note(server, `scores (${stands.score.join(" ")}) in round ${stands.round}`);
    if (output.kind === "deposed") this.#depose(server, output.reason);
    if (output.kind !== "elected") return;
    this.#note(server, `ELECTS ${name(output.leader)} in round ${output.round}`);
    this.#elected.set(server, { at: this.#now, leader: output.leader, round: output.round });
    if (output.leader === server) this.#reigns.push({ leader: server, from: this.#now, until: null });
  }

  #depose(server: ServerId, reason: string): void {
    this.#note(server, `leads no more: ${reason}`);
    const reign = this.#reigns.findLast((one) => one.leader === server);
    if (reign?.until === null) reign.until = this.#now;
  }

  #direct(at: Duration, happen: () => void): this {
    this.#agenda.push({ at: after(instant(0), at), order: this.#scheduled++, happen });
    return this;
  }

  #schedule(wait: Duration, happen: () => void): void {
    this.#agenda.push({ at: after(this.#now, wait), order: this.#scheduled++, happen });
  }

  #note(server: ServerId, line: string): void {
    this.#lines.push(`${(this.#now / 1e3).toFixed(2).padStart(8)}  ${name(server)}  ${line}`);
  }
}

const name = (server: ServerId): string => `p${server}`;

function earlier(a: Event | null, b: Event): Event {
  return a === null || b.at < a.at || (b.at === a.at && b.order < a.order) ? b : a;
}
