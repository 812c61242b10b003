/**
 * Bully: the greatest server that lives leads, because everybody less gives way (Garcia-Molina 1982).
 *
 * The lecture's lines, and where they are below:
 *
 *   when the coordinator has failed:
 *     if its id is the highest: it elects itself, and sends Coordinator to all lower ids       (1)
 *     else it sends Election to all higher ids                                                 (2)
 *       no answer within a timeout: it leads, and sends Coordinator to all lower ids           (3)
 *       an answer: it waits for Coordinator, after another timeout it begins anew              (4)
 *   when Election comes: it answers OK, and begins an election unless it has                    (5)
 *
 * By id everybody knows who is higher. By score nobody does, so Election carries the key and goes to all; who
 * is greater answers OK and who is less yields, and who has the answer of all that live waits for no timeout.
 * Rounds, votes and those who come late are the peer election's.
 */

import type { ServerId } from "../../core/identity.ts";
import type { Round } from "../../core/score.ts";
import type { Duration } from "../../core/time.ts";
import { candidate } from "../../telemetry/facts.ts";
import type { Seat } from "../entry.ts";
import type { Key } from "../key.ts";
import { PeerElection } from "../peer-election.ts";
import { initialPeerState, type PeerState } from "../peer-state.ts";
import { RETRY } from "../retry.ts";
import { type BullyMessage, type BullySays, flawOf } from "./message.ts";

export interface BullyOptions extends Seat {
  /** Are keys scores and then ids? Else ids alone, which all know. */
  readonly byScore: boolean;
  /** Ask nobody known to be down, and wait for nobody such. Off is the lecture to the letter. */
  readonly knownDown: boolean;
  /** How long answers are waited for; and, after one, the coordinator, each time twice as long. */
  readonly answerTimeout: Duration;
  readonly coordinatorTimeout: Duration;
}

export interface BullyState extends PeerState {
  /** Who was asked in this round, said that it sees to it, or gave way. */
  asked: readonly ServerId[];
  oks: readonly ServerId[];
  yielded: readonly ServerId[];
  /** Somebody else sees to it, or has a leader: the retry timer runs, and no answer is awaited. */
  waits: boolean;
}

const ANSWER = "answer";

export class BullyElection extends PeerElection<BullyMessage, BullyState> {
  readonly #options: BullyOptions;

  /** `state` goes on from where another copy of this server was. */
  constructor(options: BullyOptions, state?: BullyState) {
    super(options, options.coordinatorTimeout, state ?? initialState(options.coordinatorTimeout));
    this.#options = options;
  }

  /** Who may be greater. */
  get #rivals(): readonly ServerId[] {
    return this.#options.byScore ? this.others : this.others.filter((server) => server > this.self);
  }

  #awaited(servers: readonly ServerId[]): readonly ServerId[] {
    const { down } = this.memory;
    const isSkipped = this.#options.knownDown && this.mutant !== "dead-not-skipped";
    return isSkipped ? servers.filter((server) => !down.includes(server)) : servers;
  }

  /** (2) */
  protected begin(): void {
    const { memory } = this;
    memory.asked = [];
    memory.oks = [];
    memory.yielded = [];
    memory.waits = false;
    this.end();
    this.#ask(this.#awaited(this.#rivals));
    if (memory.asked.length > 0)
      this.push({ kind: "arm", timer: ANSWER, after: this.#options.answerTimeout });
    this.#check();
  }

  #ask(servers: readonly ServerId[]): void {
    const { memory } = this;
    if (memory.own === null) return;
    memory.asked = [...new Set([...memory.asked, ...servers])].sort(ascending);
    this.say(servers, { kind: "election", round: memory.round, key: memory.own });
  }

  /** (1), and nobody is left to wait for. */
  #check(): void {
    const { phase, yielded } = this.memory;
    if (phase !== "electing") return;
    const missing = this.#awaited(this.#rivals).filter((server) => !yielded.includes(server));
    if (missing.length === 0) this.#lead();
  }

  #lead(): void {
    const { memory } = this;
    const supporters = this.#options.byScore ? memory.yielded : memory.connected;
    if (!this.isQuorum([this.self, ...supporters]) && this.mutant !== "coordinator-without-quorum") {
      this.#wait();
      return;
    }
    this.follow(this.self, memory.round);
    this.#tellAll();
  }

  #tellAll(): void {
    const lower = this.#options.byScore ? this.others : this.others.filter((server) => server < this.self);
    this.#tell(this.#awaited(lower));
  }

  #tell(servers: readonly ServerId[]): void {
    this.say(servers, { kind: "coordinator", round: this.memory.round });
  }

  protected receive(from: ServerId, message: BullyMessage): void {
    const { memory } = this;
    if (message.kind === "coordinator") {
      this.hearLeader(from, message.round);
      return;
    }
    if (memory.leader !== null) {
      if (message.kind === "election") this.#answerFollowing(from, message.round, message.key);
      return;
    }
    if (!this.takesPart) return;
    if (message.round > memory.round || memory.phase === "resting") this.join(message.round); // (5)
    if (message.kind === "election") this.#answer(from, message.key, message.round < memory.round);
    else if (message.round === memory.round && message.kind === "ok") this.#seenTo(from);
    else if (message.round === memory.round) this.#giveWay(from);
  }

  /**
   * (5): who has just found its leader in that round has told all that it had to tell, and who leads it tells
   * those too that were not connected then.
   */
  #answerFollowing(from: ServerId, inRound: Round, key: Key): void {
    const { followed, fresh, own } = this.memory;
    if (this.#isLedAgain(inRound, key)) return;
    const isOfRound = followed?.round === inRound;
    const hasMissed = !isOfRound || fresh.includes(from) || own === null;
    if (hasMissed && isOfRound && this.ledInVain) this.#tell([from]);
    else if (hasMissed) this.sayVote(from);
    else if (this.compare(own, key) > 0) this.say([from], { kind: "ok", round: followed.round });
    else if (this.#options.byScore) this.say([from], { kind: "yield", round: followed.round });
  }

  /**
   * Who asks in a later round than the one that this server has just won is told that it leads that one too.
   */
  #isLedAgain(inRound: Round, key: Key): boolean {
    const { memory } = this;
    if (!this.ledInVain || memory.own === null || inRound <= memory.round) return false;
    if (this.compare(memory.own, key) < 0) return false;
    memory.round = inRound;
    memory.followed = { round: inRound, leader: this.self };
    this.output({ kind: "observed", facts: candidate(inRound, memory.own.score, {}) });
    this.#tellAll();
    return true;
  }

  #answer(from: ServerId, key: Key, isEarlier: boolean): void {
    const { memory } = this;
    if (memory.own === null || memory.leader === from) return;
    if (this.compare(memory.own, key) > 0) {
      this.say([from], { kind: "ok", round: memory.round });
      // Its key says all that its answer would.
      if (!isEarlier && this.#options.byScore && memory.phase === "electing") this.#giveWay(from);
    } else if (isEarlier) this.#ask([from]);
    else if (this.#options.byScore) this.say([from], { kind: "yield", round: memory.round });
  }

  /** (4) */
  #seenTo(from: ServerId): void {
    const { memory } = this;
    if (memory.phase !== "electing") return;
    if (this.mutant === "ok-not-awaited") {
      this.#giveWay(from);
      return;
    }
    memory.oks = [...memory.oks.filter((server) => server !== from), from].sort(ascending);
    this.#wait();
    this.#check();
  }

  #wait(): void {
    const { memory } = this;
    if (memory.waits) return;
    memory.waits = true;
    this.push({ kind: "disarm", timer: ANSWER });
    this.armRetry();
  }

  #giveWay(from: ServerId): void {
    const { memory } = this;
    memory.yielded = [...memory.yielded.filter((server) => server !== from), from].sort(ascending);
    this.#check();
  }

  /** (3) and (4) */
  protected fired(timer: string): void {
    if (this.memory.phase !== "electing") return;
    if (timer === RETRY) this.newRound();
    else this.#lead();
  }

  protected joined(server: ServerId): void {
    const { phase, asked } = this.memory;
    if (phase !== "electing") return;
    // Nothing said before has reached it.
    if (asked.includes(server) || this.#rivals.includes(server)) this.#ask([server]);
    this.#check();
  }

  protected left(server: ServerId): void {
    const { memory } = this;
    memory.yielded = memory.yielded.filter((other) => other !== server);
    if (this.#options.knownDown) this.#check();
  }

  /** It is waited for as if somebody had said OK. */
  protected toldOfLeader(): void {
    if (this.memory.phase === "electing") this.#wait();
  }

  protected get asked(): readonly ServerId[] {
    return this.memory.leader === null ? this.memory.asked : [];
  }

  protected end(): void {
    this.push({ kind: "disarm", timer: ANSWER }, { kind: "disarm", timer: RETRY });
  }

  protected flawOf(_: ServerId, message: BullySays): string | null {
    return flawOf(message, this.servers);
  }
}

const ascending = (a: number, b: number): number => a - b;

const initialState = (retry: Duration): BullyState => ({
  ...initialPeerState(retry),
  asked: [],
  oks: [],
  yielded: [],
  waits: false,
});
