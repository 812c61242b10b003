/**
 * Majority vote: who gets the votes of a majority leads, and nobody votes twice (Chubby, as the lecture has
 * it).
 *
 * The lecture's lines, and where they are below:
 *
 *   a potential leader tries to get votes from other servers                    (1)
 *   each server votes for at most one leader                                    (2)
 *   the server with a majority of votes becomes leader, and informs everyone    (3)
 *
 * At most one is once a round. Who stands at once divides the votes of a wide area: everybody has voted for
 * itself before it hears of another. So a server waits before it stands: by its rank, a step for each that
 * was last heard to be better, or by chance; and after a round without a leader all wait by chance. While a
 * leader is served, servers tell each other now and then how good a leader they would be, and their round:
 * the next one is the same for all. What a server has voted it does not write down: when it starts it sits
 * out for a while, and every round that it hears of meanwhile. Or all stand at once, and who votes waits
 * until all that live have asked, and votes for the best. Votes for who comes late are the peer election's.
 *
 * Where there are leases, a vote is a promise as well: to vote for nobody else for a while, counted from when
 * the question came. The master counts a shorter time from when it asked, and asks anew before that ends; so
 * no two masters' times overlap as long as clocks drift no more than the two times allow for. Whom only a
 * promise to another keeps a voter from is voted for when that promise has ended. Promises of votes that
 * were divided end together, so what comes after them is left to chance.
 */

import type { ServerId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import { latest, type Round } from "../../core/score.ts";
import { type Duration, microseconds } from "../../core/time.ts";
import type { Seat } from "../entry.ts";
import type { Key } from "../key.ts";
import { PeerElection } from "../peer-election.ts";
import { armRetry, doubled, RETRY } from "../retry.ts";
import { flawOf, type MajorityMessage, type MajoritySays } from "./message.ts";
import { isTold, rankOf, STANDING_EVERY } from "./standing.ts";
import { initialState, type VoteState } from "./vote-state.ts";

export interface VoteOptions extends Seat {
  /** A step of the wait before a server stands; 0 is first come. */
  readonly standDelay: Duration;
  /** Wait by rank? Else by chance. */
  readonly ranked: boolean;
  readonly sitOut: Duration;
  readonly waitForAll: boolean;
  /** Of a master, and of a voter; the first is 0 where there are none. */
  readonly lease: Duration;
  readonly promise: Duration;
  /** How long a leader is waited for before the next round, at least; then twice as long each time. */
  readonly retry: Duration;
}

const STAND = "stand";
const STANDING = "standing";
const SIT_OUT = "sit out";
const PROMISE = "promise";
const LEASE = "lease";
const RENEW = "renew";

export class VoteElection extends PeerElection<MajorityMessage, VoteState> {
  readonly #options: VoteOptions;

  /** `state` goes on from where another copy of this server was. */
  constructor(options: VoteOptions, state?: VoteState) {
    super(options, options.retry, state ?? initialState(options.retry));
    this.#options = options;
  }

  protected override started(life: number): void {
    const { memory } = this;
    memory.life = life;
    if (this.mutant === "restarted-voter-votes") return;
    memory.sitsOut = true;
    // What it may have promised in an earlier life it keeps as well.
    const { sitOut, lease, promise } = this.#options;
    const after = lease > 0 && promise > sitOut ? promise : sitOut;
    this.push({ kind: "arm", timer: SIT_OUT, after });
  }

  protected begin(): void {
    const { memory } = this;
    memory.stands = false;
    memory.grants = [];
    memory.asks = [];
    this.end();
    const { held } = memory;
    memory.held = null;
    if (memory.sitsOut) {
      this.say(this.#others, { kind: "whom", round: memory.round });
      this.#armRetry();
    } else if (this.#options.waitForAll) {
      if (held?.round === memory.round) memory.asks = [held.from];
      this.#stand();
    } else if (held?.round !== memory.round || memory.down.includes(held.from) || !this.#consider(held.from))
      this.#standSoon();
  }

  get #others(): readonly ServerId[] {
    return this.others.filter((server) => !this.memory.down.includes(server));
  }

  #standSoon(): void {
    const { standDelay, ranked } = this.#options;
    const steps = ranked ? this.#rank : this.#chance() * this.others.length;
    const wait = microseconds(standDelay * steps);
    if (wait === 0) this.#stand();
    else this.push({ kind: "arm", timer: STAND, after: wait });
  }

  get #rank(): number {
    const { told, own, keys } = this.memory;
    const self = told ?? own;
    return self === null ? 0 : rankOf(self, keys, this.#others, (x, y) => this.compare(x, y));
  }

  /** Another oracle may have judged until now, and nobody knew what would come. */
  protected override served(): void {
    const { memory } = this;
    memory.round = latest(memory.round, memory.latest);
    const { ranked, standDelay, waitForAll } = this.#options;
    if (!ranked || standDelay === 0 || waitForAll) return;
    memory.keys = [];
    memory.told = null;
    this.push({ kind: "arm", timer: STANDING, after: STANDING_EVERY });
  }

  #tellStanding(): void {
    const { memory } = this;
    if (!memory.led || memory.leader === null) return;
    this.push({ kind: "arm", timer: STANDING, after: STANDING_EVERY });
    const { standing } = this;
    if (memory.leader === this.self || standing === null || isTold(standing, memory)) return;
    memory.told = standing;
    memory.toldTo = memory.connected;
    this.say(memory.connected, { kind: "standing", round: memory.round, key: standing });
  }

  #chance(): number {
    const { memory } = this;
    memory.draws += 1;
    return new Random(memory.life, memory.draws).unit();
  }

  /** Not all at once: whoever is first finds the votes of the others. */
  #armRetry(): void {
    const { memory } = this;
    this.push(armRetry(microseconds(memory.retryAfter * (1 + this.#chance()))));
  }

  /** (1) */
  #stand(): void {
    const { memory } = this;
    this.#armRetry();
    if (memory.own === null || memory.sitsOut) return;
    // Where all are waited for, all have to ask: also who may not vote for itself yet.
    if (!this.#options.waitForAll && !this.#mayVoteFor(this.self)) return;
    memory.stands = true;
    memory.askedAt = this.now;
    this.say(this.#others, { kind: "ask", round: memory.round, key: memory.own });
    if (this.#options.waitForAll) this.#considerAll();
    else this.#voteForItself();
  }

  #voteForItself(): void {
    const { memory } = this;
    memory.granted = { round: memory.round, to: this.self };
    memory.grants = [...memory.grants, this.self];
    this.#promise(this.self);
    this.#count();
  }

  /** All that live have asked: the best of them has the vote. */
  #considerAll(): void {
    const { own, stands, asks, keys } = this.memory;
    if (own === null || !stands || this.#hasVoted) return;
    if (!this.#others.every((server) => asks.includes(server)) && this.mutant !== "not-all-awaited") return;
    const asked = keys.filter(({ server }) => asks.includes(server));
    const best = asked.reduce((a, b) => (this.compare(b, a) > 0 ? b : a), own);
    if (best.server !== this.self) this.#consider(best.server);
    else if (this.#mayVoteFor(this.self)) this.#voteForItself();
  }

  /** (2) */
  #mayVoteFor(candidate: ServerId): boolean {
    const { round: current, sitsOut, forgotten, granted, promised } = this.memory;
    if (sitsOut || current <= forgotten) return false;
    if (promised !== null && promised !== candidate) return false;
    if (candidate !== (this.stated ?? candidate)) return false;
    if (this.mutant === "voted-twice-a-round") return true;
    return granted === null || granted.round < current || granted.to === candidate;
  }

  get #hasVoted(): boolean {
    const { granted, round: current } = this.memory;
    return granted?.round === current;
  }

  #consider(candidate: ServerId): boolean {
    const { memory } = this;
    if (memory.own === null) return false;
    if (!this.#mayVoteFor(candidate)) {
      if (memory.promised !== null && !this.#hasVoted) memory.held = { round: memory.round, from: candidate };
      return false;
    }
    const isNew = !this.#hasVoted;
    memory.granted = { round: memory.round, to: candidate };
    this.say([candidate], { kind: "grant", round: memory.round, key: memory.own });
    this.#promise(candidate);
    this.push({ kind: "disarm", timer: STAND });
    if (isNew) this.#armRetry();
    return true;
  }

  /** (3) */
  #count(): void {
    const { memory } = this;
    if (!this.isQuorum(memory.grants) && this.mutant !== "master-without-majority") return;
    const { round: won } = memory;
    const { lease } = this.#options;
    if (lease > 0 && this.now - memory.askedAt >= lease) return;
    this.follow(this.self, won);
    this.#holdLease();
    if (lease > 0) this.push({ kind: "arm", timer: RENEW, after: this.#renewAfter });
    if (this.mutant === "master-informs-nobody" || memory.own === null) return;
    this.say(this.#others, { kind: "master", round: won, keys: [...memory.keys, memory.own] });
  }

  /** To vote for nobody else for a while. */
  #promise(to: ServerId): void {
    const { lease, promise: after } = this.#options;
    if (lease === 0 || this.mutant === "promise-forgotten") return;
    this.memory.promised = to;
    this.push({ kind: "arm", timer: PROMISE, after });
  }

  get #renewAfter(): Duration {
    return microseconds(Math.ceil(this.#options.lease / 3));
  }

  /** What a majority has promised counts from when it was asked for. */
  #holdLease(): void {
    const { lease } = this.#options;
    if (lease === 0) return;
    const gone = this.mutant === "lease-from-answer" ? 0 : this.now - this.memory.askedAt;
    this.push({ kind: "arm", timer: LEASE, after: microseconds(Math.max(0, lease - gone)) });
  }

  #renew(): void {
    const { memory } = this;
    memory.renewal += 1;
    memory.askedAt = this.now;
    memory.kept = [this.self];
    this.#promise(this.self);
    this.say(this.#others, { kind: "renew", round: memory.round, renewal: memory.renewal });
    this.push({ kind: "arm", timer: RENEW, after: this.#renewAfter });
    if (this.isQuorum(memory.kept)) this.#holdLease();
  }

  #hearRenewal(from: ServerId, message: MajorityMessage & { readonly kind: "renew" | "kept" }): void {
    const { memory } = this;
    if (message.kind === "renew") {
      if (memory.leader !== from || (memory.promised !== null && memory.promised !== from)) return;
      this.#promise(from);
      this.say([from], { ...message, kind: "kept" });
    } else if (memory.leader === this.self && message.renewal === memory.renewal) {
      memory.kept = [...memory.kept.filter((server) => server !== from), from].sort((a, b) => a - b);
      if (this.isQuorum(memory.kept)) this.#holdLease();
    }
  }

  protected receive(from: ServerId, message: MajorityMessage): void {
    const { memory } = this;
    if (message.kind === "late") return;
    if (message.kind === "renew" || message.kind === "kept") {
      this.#hearRenewal(from, message);
      return;
    }
    if (message.kind === "master") {
      this.#learn(message.keys);
      this.hearLeader(from, message.round);
      return;
    }
    this.#learn([message.key]);
    if (message.kind === "standing" && memory.led) memory.round = latest(memory.round, message.round);
    if (message.kind === "standing") return;
    if (message.kind === "ask") this.#hearCandidate(from, message.round);
    else if (memory.leader !== null) {
      // Who has voted for it would wait for it to lead.
      if (memory.leader !== this.self) this.sayVote(from);
    } else if (message.round === memory.round && memory.stands) {
      if (memory.grants.includes(from)) return;
      memory.grants = [...memory.grants, from].sort((a, b) => a - b);
      this.#count();
    }
  }

  #learn(keys: readonly Key[]): void {
    const { memory } = this;
    const later = keys.filter(({ server }) => server !== this.self);
    const isOld = (key: Key): boolean => later.every(({ server }) => server !== key.server);
    memory.keys = [...memory.keys.filter(isOld), ...later].sort((a, b) => a.server - b.server);
  }

  #hearCandidate(from: ServerId, inRound: Round): void {
    const { memory } = this;
    if (memory.leader !== null) {
      this.sayVote(from);
      // It is voted for when the leader is lost.
      if (inRound > memory.round) memory.held = { round: inRound, from };
      return;
    }
    if (!this.takesPart) return;
    if (inRound > memory.round) {
      memory.held = { round: inRound, from };
      this.join(inRound);
    } else if (inRound < memory.round) this.say([from], { kind: "late", round: memory.round });
    else if (this.#options.waitForAll) {
      memory.asks = [...memory.asks.filter((server) => server !== from), from].sort((a, b) => a - b);
      this.#considerAll();
    } else this.#consider(from);
  }

  protected fired(timer: string): void {
    const { memory } = this;
    if (timer === SIT_OUT) {
      memory.sitsOut = false;
      memory.forgotten = memory.latest;
    }
    if (timer === PROMISE) memory.promised = null;
    if (timer === STANDING) this.#tellStanding();
    if (memory.leader === this.self && timer === RENEW) this.#renew();
    if (memory.leader === this.self && timer === LEASE) {
      this.push({ kind: "disarm", timer: RENEW });
      this.output({ kind: "deposed", reason: "its lease has ended, and no majority promised anew" });
    }
    if (memory.phase !== "electing") return;
    if (timer === STAND) this.#stand();
    else if (timer === PROMISE) this.#promiseEnded();
    else if (timer === RETRY || timer === SIT_OUT) {
      // Only what was waited in vain makes the next wait longer: many short rounds would make it a minute.
      if (timer === RETRY) memory.retryAfter = doubled(memory.retryAfter);
      this.newRound();
    }
  }

  #promiseEnded(): void {
    const { held, down, round: current, retryAfter, stands } = this.memory;
    // Its vote was in vain; those of others as well, and their promises end now too.
    if (this.#hasVoted) this.push(armRetry(microseconds(retryAfter * this.#chance())));
    else if (this.#options.waitForAll && stands) this.#considerAll();
    else if (
      held === null ||
      held.round !== current ||
      down.includes(held.from) ||
      !this.#consider(held.from)
    )
      this.newRound();
  }

  protected joined(server: ServerId): void {
    const { phase, sitsOut, stands, own, round: current } = this.memory;
    if (phase !== "electing" || own === null) return;
    // Nothing said before has reached it.
    if (stands) this.say([server], { kind: "ask", round: current, key: own });
    else if (sitsOut || this.#hasVoted) this.say([server], { kind: "whom", round: current });
  }

  /** Whom it has voted for will not lead. */
  protected left(server: ServerId): void {
    const { phase, granted, round: current } = this.memory;
    this.memory.toldTo = this.memory.toldTo.filter((other) => other !== server);
    if (phase !== "electing") return;
    if (granted?.to === server && granted.round === current) this.newRound();
    else if (this.#options.waitForAll) this.#considerAll();
  }

  protected toldOfLeader(): void {}

  /** Who has voted for it would wait for it to lead. */
  protected override follow(leader: ServerId, inRound: Round): void {
    const voters = this.memory.grants.filter((server) => server !== this.self);
    super.follow(leader, inRound);
    this.memory.grants = [];
    if (leader !== this.self) for (const voter of voters) this.sayVote(voter);
  }

  protected get asked(): readonly ServerId[] {
    const { leader, stands, sitsOut } = this.memory;
    return leader === null && (stands || sitsOut) ? this.others : [];
  }

  protected end(): void {
    this.push({ kind: "disarm", timer: STAND }, { kind: "disarm", timer: RETRY });
    if (this.#options.lease > 0)
      this.push({ kind: "disarm", timer: LEASE }, { kind: "disarm", timer: RENEW });
  }

  protected flawOf(from: ServerId, message: MajoritySays): string | null {
    return flawOf(message, from, this.servers);
  }
}
