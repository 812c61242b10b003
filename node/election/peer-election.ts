/**
 * What makes a classic election among peers one of a replica: rounds, frozen keys, repetition, and those who
 * come late.
 *
 * Every attempt is a round: a later one is joined, an earlier one only answered, and nobody follows two
 * leaders in one round. A server follows who says that it leads, unless it has a leader: then only its own
 * service can unseat that one, and until it does the news is kept. Who has a leader answers with a vote, and
 * a quorum of votes for one leader, the leader's own among them, settles it for one who comes late, or who
 * took itself for the leader in vain. What is said to win a round is the election's own, in the methods that
 * are abstract here.
 */

import { assert, unreachable } from "../core/assert.ts";
import type { Automaton, Effect, Input } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import { majority } from "../core/quorum.ts";
import { type Judge, latest, type Round, round } from "../core/score.ts";
import type { Duration, Instant } from "../core/time.ts";
import { candidate } from "../telemetry/facts.ts";
import type { ElectionOutput, ElectionProtocol } from "./election.ts";
import type { Seat } from "./entry.ts";
import { compareKeys, type Key } from "./key.ts";
import type { PeerState } from "./peer-state.ts";
import { armRetry, doubled, RETRY } from "./retry.ts";
import { settledBy, type Vote, withVote } from "./vote.ts";

/** What servers of every such election say besides what is its own. */
export type CommonMessage =
  | ({ readonly kind: "vote" } & Vote)
  /** Whom do you follow? */
  | { readonly kind: "whom"; readonly round: Round };

/** Every message tells a round: its sender's, or with a vote the one in which it came to its leader. */
export interface PeerMessage {
  readonly kind: string;
  readonly round: Round;
}

type Protocol<Own extends PeerMessage> = ElectionProtocol<Own | CommonMessage>;

export abstract class PeerElection<Own extends PeerMessage, State extends PeerState>
  implements Automaton<Protocol<Own>>
{
  protected readonly self: ServerId;
  protected readonly servers: readonly ServerId[];
  protected readonly others: readonly ServerId[];
  protected readonly mutant: Mutant | null;
  protected readonly memory: State;
  protected now: Instant = 0 as Instant;
  readonly #judge: Judge;
  readonly #retry: Duration;
  #effects: Effect<Protocol<Own>>[] = [];

  constructor({ self, servers, judge, mutant }: Seat, retry: Duration, state: State) {
    assert(servers.includes(self), `server ${self} is not of the ensemble ${servers.join(", ")}`);
    this.self = self;
    this.servers = servers;
    this.others = servers.filter((server) => server !== self);
    this.mutant = mutant;
    this.memory = { ...state };
    this.#judge = judge;
    this.#retry = retry;
  }

  get state(): Readonly<State> {
    return this.memory;
  }

  /** The own key is drawn, nothing has been said: what is done first in a round? */
  protected abstract begin(): void;
  protected abstract receive(from: ServerId, message: Own): void;
  protected abstract fired(timer: string): void;
  /** While a leader is looked for, somebody connected, or its connection ended. */
  protected abstract joined(server: ServerId): void;
  protected abstract left(server: ServerId): void;
  /** While a leader is looked for, somebody says that it has one. */
  protected abstract toldOfLeader(): void;
  /** A leader was found: what still waits is let go. */
  protected abstract end(): void;
  /** What makes it a message that no server of this ensemble would send, or null. */
  protected abstract flawOf(from: ServerId, message: Own | CommonMessage): string | null;

  step(input: Input<Protocol<Own>>, now: Instant): readonly Effect<Protocol<Own>>[] {
    this.#effects = [];
    this.now = now;
    this.#react(input);
    if (this.memory.phase === "waiting" && this.#judge.ready(now)) this.newRound();
    return this.#effects;
  }

  #react(input: Input<Protocol<Own>>): void {
    switch (input.kind) {
      case "request":
        if (input.request.kind === "elect") this.#elect();
        else if (input.request.kind === "led") this.#isLed();
        break;
      case "message":
        this.#hear(input.from, input.message);
        break;
      case "timeout":
        if (input.timer === RETRY && this.memory.phase === "waiting") this.push(armRetry(this.#retry));
        else this.fired(input.timer);
        break;
      case "connected":
        this.#connected(input.server);
        break;
      case "unreachable":
        this.#unreachable(input.server);
        break;
      case "start":
        this.started(input.life);
        break;
      case "clock":
      case "durable":
      case "turn":
        break;
      default:
        unreachable(input);
    }
  }

  /** A life begins. */
  protected started(_life: number): void {}

  #elect(): void {
    const { memory } = this;
    if (memory.phase === "waiting") return;
    memory.leader = null;
    memory.led = false;
    memory.votes = [];
    memory.retryAfter = this.#retry;
    const { successor } = memory;
    memory.successor = null;
    if (successor !== null && successor.round > memory.round) {
      this.follow(successor.leader, successor.round);
    } else if (memory.own === null && !this.#judge.ready(this.now)) {
      memory.phase = "waiting";
      this.push(armRetry(this.#retry));
    } else this.newRound();
  }

  #isLed(): void {
    this.memory.led = true;
    this.memory.successor = null;
    this.served();
  }

  /** A leader is served. */
  protected served(): void {}

  /** Who is to lead first, where that was stated and is waited for. */
  protected get stated(): ServerId | null {
    return this.#judge.stated?.(this.now) ?? null;
  }

  /** How good a leader this server would be by now; null while its oracle does not know enough. */
  protected get standing(): Key | null {
    if (!this.#judge.ready(this.now)) return null;
    return { score: this.#judge.score(round(this.memory.round + 1), this.now), server: this.self };
  }

  #hear(from: ServerId, message: Own | CommonMessage): void {
    const flaw = this.flawOf(from, message);
    if (flaw !== null) {
      this.push({ kind: "close", server: from, reason: flaw });
      return;
    }
    const { memory } = this;
    memory.latest = latest(memory.latest, message.round);
    // Who speaks otherwise does not lead any more; who leads says so again below.
    if (memory.successor?.leader === from) memory.successor = null;
    if (isVote(message)) this.#hearVote(from, message);
    else if (message.kind !== "whom") this.receive(from, message as Own);
    else if (memory.leader !== null) this.sayVote(from);
  }

  #connected(server: ServerId): void {
    const { memory } = this;
    memory.down = memory.down.filter((other) => other !== server);
    memory.connected = [...memory.connected.filter((other) => other !== server), server];
    if (memory.phase === "following") memory.fresh = [...memory.fresh, server];
    else this.joined(server);
  }

  #unreachable(server: ServerId): void {
    const { memory } = this;
    memory.connected = memory.connected.filter((other) => other !== server);
    memory.down = [...memory.down.filter((other) => other !== server), server];
    memory.fresh = memory.fresh.filter((other) => other !== server);
    if (memory.successor?.leader === server) memory.successor = null;
    this.left(server);
  }

  protected newRound(): void {
    this.join(round(latest(round(this.memory.round + 1), this.memory.latest)));
  }

  /** A round begins here, or is joined where another began it. */
  protected join(inRound: Round): void {
    const { memory } = this;
    memory.phase = "electing";
    memory.round = inRound;
    memory.votes = [];
    const score = this.#judge.score(inRound, this.now);
    memory.own = { score, server: this.self };
    this.output({
      kind: "observed",
      facts: candidate(inRound, score, this.#judge.explain(inRound, this.now)),
    });
    this.begin();
  }

  /** Everybody takes part from the first message on, as soon as its oracle knows enough. */
  protected get takesPart(): boolean {
    const { phase } = this.memory;
    return phase === "electing" || (phase === "resting" && this.#judge.ready(this.now));
  }

  /** The wait after which what may be lost is said again; the next one is twice as long. */
  protected armRetry(): void {
    const { memory } = this;
    this.push(armRetry(memory.retryAfter));
    memory.retryAfter = doubled(memory.retryAfter);
  }

  /** `from` says that it leads this round. */
  protected hearLeader(from: ServerId, inRound: Round): void {
    const { memory } = this;
    if (this.#isLoose(inRound)) {
      if (inRound >= memory.round) this.follow(from, inRound);
      else this.#hearVote(from, { round: inRound, leader: from });
      return;
    }
    if (memory.leader === from) return;
    this.sayVote(from);
    if (this.ledInVain) this.#hearVote(from, { round: inRound, leader: from });
    else if (inRound > memory.round) memory.successor = { round: inRound, leader: from };
  }

  #isLoose(inRound: Round): boolean {
    const { leader, round: own } = this.memory;
    if (leader === null || this.mutant === "bullied-on-recovery") return true;
    return this.mutant === "two-followed-in-a-round" && inRound === own;
  }

  /** Whoever elected itself does not lead yet, and a quorum that follows another will not come. */
  protected get ledInVain(): boolean {
    return this.memory.leader === this.self && !this.memory.led;
  }

  #hearVote(from: ServerId, vote: Vote): void {
    const { memory } = this;
    const isOpen = memory.leader === null || this.ledInVain;
    if (!isOpen || vote.leader === memory.leader || memory.down.includes(vote.leader)) return;
    memory.votes = withVote(memory.votes, from, { round: vote.round, leader: vote.leader });
    const votes = this.#givesIn(vote) ? withVote(memory.votes, this.self, vote) : memory.votes;
    const settled = settledBy(votes, this.servers.length);
    if (settled !== null) {
      this.follow(settled.leader, this.#after(settled));
      return;
    }
    this.#enquire();
    if (memory.leader === null) this.toldOfLeader();
  }

  /** Of two that lead in vain the one of the earlier round, or the lesser id, counts itself for the other. */
  #givesIn({ round: inRound, leader }: Vote): boolean {
    const { followed } = this.memory;
    if (!this.ledInVain || followed === null) return false;
    return inRound > followed.round || (inRound === followed.round && leader > this.self);
  }

  /** Once a round: for a quorum of votes whoever was not asked has to be. */
  #enquire(): void {
    const { memory } = this;
    if (memory.enquired === memory.round) return;
    memory.enquired = memory.round;
    const known = [...memory.votes.map(({ from }) => from), ...memory.down, ...this.asked];
    const silent = this.others.filter((server) => !known.includes(server));
    this.say(silent, { kind: "whom", round: memory.round });
  }

  /** Who answers in this round without being asked once more. */
  protected abstract get asked(): readonly ServerId[];

  /** The round in which a vote is followed: never one in which another leader was. */
  #after({ round: inRound, leader }: Vote): Round {
    const { followed, round: own } = this.memory;
    if (followed === null || inRound > followed.round) return inRound;
    if (inRound === followed.round && leader === followed.leader) return inRound;
    return followed.round < own ? own : round(own + 1);
  }

  protected sayVote(to: ServerId): void {
    const { followed } = this.memory;
    assert(followed !== null, "a vote without a leader");
    this.say([to], { kind: "vote", ...followed });
  }

  protected follow(leader: ServerId, inRound: Round): void {
    const { memory } = this;
    memory.phase = "following";
    memory.round = latest(memory.round, inRound);
    memory.latest = latest(memory.latest, memory.round);
    memory.leader = leader;
    memory.followed = { round: inRound, leader };
    memory.led = false;
    memory.fresh = [];
    if (leader !== this.self) memory.votes = [];
    this.end();
    this.output({ kind: "elected", leader, round: inRound });
  }

  protected compare(a: Key, b: Key): number {
    return compareKeys(this.#judge, a, b);
  }

  protected isQuorum(servers: readonly ServerId[]): boolean {
    return servers.length >= majority(this.servers.length);
  }

  protected say(to: readonly ServerId[], message: Own | CommonMessage): void {
    if (to.length > 0) this.push({ kind: "send", to, message });
  }

  protected output(output: ElectionOutput): void {
    this.push({ kind: "output", output });
  }

  protected push(...effects: readonly Effect<Protocol<Own>>[]): void {
    this.#effects.push(...effects);
  }
}

const isVote = (message: PeerMessage): message is CommonMessage & { readonly kind: "vote" } =>
  message.kind === "vote";
