/**
 * Announce-listen with suppression (Schooler, LE-S): the greatest address that speaks leads.
 *
 * Who begins believes in itself, and is silent for a random time of at most T_S. Whoever hears a greater
 * address than its leader's follows that and falls silent; whoever was not silenced announces itself, and
 * goes on to each T_A. A follower that hears nothing of its leader for T_L begins anew. Smaller addresses are
 * not even answered. With T_S = 0 everybody speaks at once, which is LE-A.
 *
 * Two things are read otherwise than they are printed. A leader's heartbeat arms the listen timer again
 * (printed is that only a greater address does, and then everybody loses its leader T_L after it first heard
 * it); and nobody listens to itself, or a leader that hears its own announcement would silence itself.
 *
 * An announcement carries the life of whoever speaks and a number, so that a late copy is not taken for a
 * sign of life.
 */

import type { GroupEffect, GroupInput, Member } from "../../core/group.ts";
import type { MemberId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import { round } from "../../core/score.ts";
import { type Duration, microseconds } from "../../core/time.ts";
import type { GroupElectionProtocol } from "../group-election.ts";

export interface Announcement {
  readonly life: number;
  /** Announcements of one life count from 1. */
  readonly number: number;
}

export interface AnnounceListenOptions {
  /** T_A, T_L and T_S. */
  readonly announce: Duration;
  readonly listen: Duration;
  readonly suppress: Duration;
}

export interface AnnounceListenProtocol extends GroupElectionProtocol<Announcement> {
  readonly timer: "announce" | "listen" | "suppress";
}

/** The two readings of the printed program that do not work; for showing that. */
export type Slip = "only a greater address is heard" | "it listens to itself";

type Effect = GroupEffect<AnnounceListenProtocol>;

export class AnnounceListen implements Member<AnnounceListenProtocol> {
  readonly #self: MemberId;
  readonly #options: AnnounceListenOptions;
  readonly #slip: Slip | null;
  #random = new Random(0);
  #life = 0;
  #spoken = 0;
  #round = round(0);
  #leader: MemberId;
  /** Of the leader, when that is somebody else. */
  #heard: Announcement | null = null;

  constructor(self: MemberId, options: AnnounceListenOptions, slip: Slip | null = null) {
    this.#self = self;
    this.#leader = self;
    this.#options = options;
    this.#slip = slip;
  }

  get leader(): MemberId {
    return this.#leader;
  }

  step(input: GroupInput<AnnounceListenProtocol>): readonly Effect[] {
    switch (input.kind) {
      case "start":
        this.#life = input.life;
        this.#random = new Random(input.life);
        return this.#begin();
      case "message":
        return this.#hear(input.from, input.message);
      case "timeout":
        return input.timer === "listen" ? this.#miss() : this.#speak();
      default:
        return [];
    }
  }

  /** Believes in itself at once, and speaks when its time has come. */
  #begin(): readonly Effect[] {
    this.#leader = this.#self;
    this.#heard = null;
    this.#round = round(this.#round + 1);
    const elected = this.#elected();
    const { suppress } = this.#options;
    if (suppress === 0) return [elected, ...this.#speak()];
    const wait = microseconds(this.#random.unit() * suppress);
    return [
      elected,
      { kind: "output", output: { kind: "observed", facts: { name: "is silent", wait } } },
      { kind: "arm", timer: "suppress", after: wait },
    ];
  }

  #speak(): readonly Effect[] {
    this.#spoken += 1;
    return [
      { kind: "announce", message: { life: this.#life, number: this.#spoken } },
      { kind: "arm", timer: "announce", after: this.#options.announce },
    ];
  }

  #miss(): readonly Effect[] {
    const facts = { name: "misses its leader", leader: this.#leader };
    return [{ kind: "output", output: { kind: "observed", facts } }, ...this.#begin()];
  }

  #hear(from: MemberId, announcement: Announcement): readonly Effect[] {
    if (from < this.#leader) return [];
    if (from === this.#self && this.#slip !== "it listens to itself") return [];
    const isNew = from > this.#leader;
    if (!isNew && (this.#slip === "only a greater address is heard" || this.#isLate(announcement))) return [];
    this.#leader = from;
    this.#heard = announcement;
    return [
      ...(isNew ? [this.#elected()] : []),
      { kind: "arm", timer: "listen", after: this.#options.listen },
      { kind: "disarm", timer: "announce" },
      { kind: "disarm", timer: "suppress" },
    ];
  }

  #isLate({ life, number }: Announcement): boolean {
    return this.#heard !== null && this.#heard.life === life && number <= this.#heard.number;
  }

  #elected(): Effect {
    return { kind: "output", output: { kind: "elected", leader: this.#leader, round: this.#round } };
  }
}
