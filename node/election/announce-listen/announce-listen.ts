/**
 * Announce-listen (Schooler): who speaks with the greatest claim leads, and all others only listen.
 *
 * Who begins believes in itself, and is silent for a while (T_S at most). Whoever hears a greater claim than
 * its leader's follows that and falls silent; whoever was not silenced announces itself, and goes on to each
 * T_A. A follower that hears nothing of its leader for T_L begins anew. Smaller claims are not even answered.
 * How long who begins is silent, and what it claims, is `wake-up.ts`: with T_S = 0 everybody speaks at once,
 * which is LE-A; by chance, with the address as claim, it is LE-S; with the wake-up itself as claim, LE-M.
 *
 * Two things are read otherwise than they are printed. A leader's heartbeat arms the listen timer again
 * (printed is that only a greater address does, and then everybody loses its leader T_L after it first heard
 * it); and nobody listens to itself, or a leader that hears its own announcement would silence itself.
 *
 * A leader that leaves may say so, a few times at once because some are lost: who hears it begins anew there
 * and then, and whatever still arrives of that life is a ghost's.
 */

import type { GroupEffect, GroupInput, Member } from "../../core/group.ts";
import type { MemberId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import { round, type Round } from "../../core/score.ts";
import type { Duration } from "../../core/time.ts";
import type { Facts } from "../../telemetry/facts.ts";
import type { GroupElectionProtocol } from "../group-election.ts";
import type { Announcement } from "./announcement.ts";
import { Farewells } from "./farewells.ts";
import { uniform, type WakeUp } from "./wake-up.ts";

export interface AnnounceListenOptions {
  /** T_A, T_L and T_S. */
  readonly announce: Duration;
  readonly listen: Duration;
  readonly suppress: Duration;
  /** How often a leader that leaves says Bye; never when not given. */
  readonly bye?: number;
}

export interface AnnounceListenProtocol extends GroupElectionProtocol<Announcement> {
  readonly timer: "announce" | "listen" | "suppress" | "query" | "answer";
}

/** What somebody could get wrong, two of them as printed; for showing what it does and that it is found. */
export type Slip =
  | "only a greater address is heard"
  | "it listens to itself"
  | "listening is not armed again"
  | "announcing is not disarmed"
  | "a ghost is believed";

/** All that a member remembers, besides lives that have ended. */
export interface Memory {
  readonly life: number;
  readonly spoken: number;
  readonly round: Round;
  readonly leader: MemberId;
  /** What the leader claims. */
  readonly rank: number;
  /** Of the leader, when that is somebody else: its life, and the number of what was heard last. */
  readonly heard: Pick<Announcement, "life" | "number"> | null;
  /** It leads and has said so. */
  readonly announces: boolean;
}

export interface Variant {
  readonly wakeUp?: WakeUp;
  /** Whether anybody who speaks is followed, whatever it claims. */
  readonly anybody?: boolean;
  readonly slip?: Slip | null;
  /** To go on where another was. */
  readonly memory?: Memory;
}

export type Effect = GroupEffect<AnnounceListenProtocol>;

export class AnnounceListen implements Member<AnnounceListenProtocol> {
  protected readonly self: MemberId;
  protected readonly options: AnnounceListenOptions;
  readonly #wakeUp: WakeUp;
  readonly #anybody: boolean;
  readonly #slip: Slip | null;
  readonly #farewells = new Farewells();
  protected random = new Random(0);
  #memory: Memory;
  #hasLeft = false;

  constructor(self: MemberId, options: AnnounceListenOptions, variant: Variant = {}) {
    const { wakeUp = uniform, anybody = false, slip = null, memory } = variant;
    this.self = self;
    this.options = options;
    this.#wakeUp = wakeUp;
    this.#anybody = anybody;
    this.#slip = slip;
    this.#memory = memory ?? { ...BEFORE, leader: self };
  }

  get leader(): MemberId {
    return this.#memory.leader;
  }

  get memory(): Memory {
    return this.#memory;
  }

  step(input: GroupInput<AnnounceListenProtocol>): readonly Effect[] {
    if (this.#hasLeft) return [];
    switch (input.kind) {
      case "start":
        this.#change({ life: input.life });
        this.random = new Random(input.life);
        return this.#begin();
      case "message":
        return this.#hear(input.from, input.message);
      case "timeout":
        return input.timer === "listen"
          ? this.#anew({ name: "misses its leader", leader: this.leader })
          : this.due(input.timer);
      case "request":
        return this.#leave();
    }
  }

  /** Its time to speak has come, and nobody greater did. */
  protected speakUp(): readonly Effect[] {
    return this.announce();
  }

  /** A timer of who leads. */
  protected due(timer: AnnounceListenProtocol["timer"]): readonly Effect[] {
    return timer === "suppress" ? this.speakUp() : this.announce();
  }

  /** It announces itself, and somebody who is to follow asks who leads. */
  protected asked(): readonly Effect[] {
    return [];
  }

  /** Those that only run while it takes itself for the leader. */
  protected get timersOfLeading(): readonly AnnounceListenProtocol["timer"][] {
    return OF_LEADING;
  }

  protected announce(): readonly Effect[] {
    const said = this.say("announcement");
    this.#change({ announces: true });
    return [said, { kind: "arm", timer: "announce", after: this.options.announce }];
  }

  protected say(kind: Announcement["kind"]): Effect {
    const { life, spoken, rank } = this.#memory;
    this.#change({ spoken: spoken + 1 });
    return { kind: "announce", message: { kind, life, number: spoken + 1, rank } };
  }

  /** Believes in itself at once, and speaks when its time has come. */
  #begin(): readonly Effect[] {
    const { suppress } = this.options;
    const { wait, rank } = this.#wakeUp(suppress, this.random, this.self);
    const next = round(this.#memory.round + 1);
    this.#change({ leader: this.self, rank, heard: null, round: next, announces: false });
    if (suppress === 0) return [this.#elected(), ...this.speakUp()];
    return [
      this.#elected(),
      observed({ name: "is silent", wait }),
      { kind: "arm", timer: "suppress", after: wait },
    ];
  }

  #anew(why: Facts): readonly Effect[] {
    return [observed(why), ...this.#begin()];
  }

  #hear(from: MemberId, said: Announcement): readonly Effect[] {
    if (from === this.self && this.#slip !== "it listens to itself") return [];
    if (this.#slip !== "a ghost is believed" && this.#farewells.has(from, said.life)) return [];
    if (said.kind === "bye") return this.#hearBye(from, said);
    const isLeaders = from === this.leader;
    if (!isLeaders && !this.#anybody && !this.#isGreater(from, said.rank))
      return said.kind === "query" && this.#memory.announces ? this.asked() : [];
    if (isLeaders && (this.#slip === "only a greater address is heard" || this.#isLate(said))) return [];
    return this.#follow(from, said);
  }

  #follow(leader: MemberId, { life, number, rank }: Announcement): readonly Effect[] {
    const before = this.leader;
    this.#change({ leader, rank, heard: { life, number }, announces: false });
    const slip = this.#slip;
    const isListening = before !== this.self;
    const disarmed = this.timersOfLeading.filter(
      (timer) => slip !== "announcing is not disarmed" || timer !== "announce",
    );
    return [
      ...(leader === before ? [] : [this.#elected()]),
      ...(slip === "listening is not armed again" && isListening ? [] : [this.#listen()]),
      ...disarmed.map((timer): Effect => ({ kind: "disarm", timer })),
    ];
  }

  #hearBye(from: MemberId, said: Announcement): readonly Effect[] {
    this.#farewells.add(from, said.life);
    const { leader, heard } = this.#memory;
    if (from !== leader || heard?.life !== said.life) return [];
    return [{ kind: "disarm", timer: "listen" }, ...this.#anew({ name: "hears its leader leave", leader })];
  }

  /** A follower is missed by nobody. */
  #leave(): readonly Effect[] {
    this.#hasLeft = true;
    const { bye = 0 } = this.options;
    const copies = this.leader === this.self ? bye : 0;
    return [
      ...[...this.timersOfLeading, "listen" as const].map((timer): Effect => ({ kind: "disarm", timer })),
      ...Array.from({ length: copies }, () => this.say("bye")),
    ];
  }

  #isGreater(from: MemberId, rank: number): boolean {
    const { leader, rank: led } = this.#memory;
    return rank === led ? from > leader : rank > led;
  }

  #isLate({ life, number }: Announcement): boolean {
    const { heard } = this.#memory;
    return heard !== null && heard.life === life && number <= heard.number;
  }

  #listen(): Effect {
    return { kind: "arm", timer: "listen", after: this.options.listen };
  }

  #elected(): Effect {
    const { leader, round: of } = this.#memory;
    return { kind: "output", output: { kind: "elected", leader, round: of } };
  }

  #change(change: Partial<Memory>): void {
    this.#memory = { ...this.#memory, ...change };
  }
}

const OF_LEADING = ["announce", "suppress"] as const;

const BEFORE = { life: 0, spoken: 0, round: round(0), rank: 0, heard: null, announces: false };

const observed = (facts: Facts): Effect => ({ kind: "output", output: { kind: "observed", facts } });
