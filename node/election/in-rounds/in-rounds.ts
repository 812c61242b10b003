/**
 * A lecture's election in rounds, among members of a group that make the rounds themselves: each by its own
 * clock, from the one instant at which all begin.
 *
 * Round r is from r - 1 to r times its length. What is said in it is heard at its end, so a member keeps what
 * comes until then. That is right as long as a round is longer than any message takes; what takes longer is
 * heard rounds too late, and then a lecture's promise is none. The members are the ring, in the order of
 * their numbers: each is told how many there are, says whom it means, and hears nobody else, nor of anybody
 * else. Whom it followed first it follows, unless its own token comes home: then it leads, whatever was
 * before.
 */

import type { GroupEffect, GroupInput, Member } from "../../core/group.ts";
import { type MemberId, memberId } from "../../core/identity.ts";
import { round } from "../../core/score.ts";
import { type Duration, type Instant, instant, microseconds } from "../../core/time.ts";
import type { Effect, Input, Message, Process } from "../../theory/process.ts";
import type { GroupElectionProtocol } from "../group-election.ts";

/** What a member says to the next on the ring. */
export interface Said {
  readonly kind: "token" | "elected";
  readonly id: number;
  readonly to: number;
  /** What one member says counts from 1, so that a second copy is known for what it is. */
  readonly number: number;
}

export interface InRoundsOptions {
  readonly round: Duration;
  readonly ringSize: number;
}

type RingMessage = Message & Pick<Said, "kind" | "id">;

export class InRounds implements Member<GroupElectionProtocol<Said>> {
  readonly #self: MemberId;
  readonly #options: InRoundsOptions;
  readonly #process: Process<RingMessage>;
  #begun = instant(0);
  /** The round that is under way. */
  #round = 0;
  #spoken = 0;
  /** The number of what was heard last of the one before it on the ring. */
  #heard = 0;
  #mail: readonly Said[] = [];
  #leader: MemberId | null = null;

  constructor(self: MemberId, options: InRoundsOptions, process: Process<RingMessage>) {
    this.#self = self;
    this.#options = options;
    this.#process = process;
  }

  step(
    input: GroupInput<GroupElectionProtocol<Said>>,
    now: Instant,
  ): readonly GroupEffect<GroupElectionProtocol<Said>>[] {
    switch (input.kind) {
      case "start":
        this.#begun = now;
        return this.#nextRound(now);
      case "message":
        return this.#hear(input.message, now);
      case "timeout":
        return this.#nextRound(now);
      case "request":
        return [{ kind: "disarm", timer: ROUND }];
    }
  }

  #hear(said: Said, now: Instant): readonly GroupEffect<GroupElectionProtocol<Said>>[] {
    const isOfTheRing = said.id >= 1 && said.id <= this.#options.ringSize;
    if (said.to !== this.#self || said.number <= this.#heard || !isOfTheRing) return [];
    this.#heard = said.number;
    this.#mail = [...this.#mail, said];
    return this.#leader === null ? [] : [this.#awaitEnd(now)];
  }

  /**
   * A round ends, with all that was said in it, and the next one begins; who slept makes up for those missed.
   */
  #nextRound(now: Instant): readonly GroupEffect<GroupElectionProtocol<Said>>[] {
    const mail = this.#mail;
    this.#mail = [];
    const current = 1 + Math.floor((now - this.#begun) / this.#options.round);
    const inputs: Input<RingMessage>[] = mail.map((message) => {
      return { kind: "message", from: this.#before, way: "on", message };
    });
    while (this.#round < current) inputs.push({ kind: "round", number: ++this.#round });
    const effects = inputs.flatMap((each) => this.#process.step(each)).flatMap((each) => this.#do(each));
    // Who has decided waits for nothing but for what it has to pass on.
    return this.#leader === null ? [...effects, this.#awaitEnd(now)] : effects;
  }

  #awaitEnd(now: Instant): GroupEffect<GroupElectionProtocol<Said>> {
    const elapsed = now - this.#begun;
    const ends = (Math.floor(elapsed / this.#options.round) + 1) * this.#options.round;
    return { kind: "arm", timer: ROUND, after: microseconds(ends - elapsed) };
  }

  #do(effect: Effect<RingMessage>): readonly GroupEffect<GroupElectionProtocol<Said>>[] {
    switch (effect.kind) {
      case "pass on": {
        const { kind, id } = effect.message;
        this.#spoken += 1;
        const message = { kind, id, to: this.#after, number: this.#spoken };
        return [{ kind: "announce", message }];
      }
      case "lead":
        return this.#decide(this.#self);
      case "follow":
        return this.#decide(memberId(effect.leader));
      default:
        return [];
    }
  }

  #decide(leader: MemberId): readonly GroupEffect<GroupElectionProtocol<Said>>[] {
    if (this.#leader === this.#self || (this.#leader !== null && leader !== this.#self)) return [];
    this.#leader = leader;
    return [{ kind: "output", output: { kind: "elected", leader, round: round(this.#round) } }];
  }

  get #after(): number {
    return (this.#self % this.#options.ringSize) + 1;
  }

  get #before(): number {
    return this.#self === 1 ? this.#options.ringSize : this.#self - 1;
  }
}

const ROUND = "round";
