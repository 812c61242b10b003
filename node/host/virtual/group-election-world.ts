/**
 * Groups that elect in virtual time, and what Schooler measures of them. Times are in T_A, which is a second
 * here; the greatest of N members has the number N.
 */

import type { MemberId } from "../../core/identity.ts";
import { memberId } from "../../core/identity.ts";
import { instant, type Instant, seconds } from "../../core/time.ts";
import type { Values } from "../../election/options.ts";
import type { GroupElectionEntry, GroupElectionProtocol } from "../../election/group-election.ts";
import { Random } from "../../core/random.ts";
import type { ReadingBuffer } from "./group-network.ts";
import { VirtualGroup } from "./group.ts";

export interface WorldShape {
  readonly election: GroupElectionEntry;
  readonly size: number;
  /** T_S and T_L; a long T_L is one that never runs out. */
  readonly suppress: number;
  readonly listen?: number;
  readonly delay?: number;
  /** Of all receivers of an announcement alike, and of each by itself. */
  readonly shared?: number;
  readonly independent?: number;
  /** What a listener's buffer holds, and how long it takes to read one; without one nothing overflows. */
  readonly buffer?: ReadingBuffer;
  /** Whatever else the election can be told. */
  readonly more?: Readonly<Record<string, number>>;
}

const LONG = 1e5;
const PATIENCE = 1000;
const PRECISION = 1e6;

export class GroupElectionWorld {
  readonly group: VirtualGroup<GroupElectionProtocol>;
  readonly #leaders = new Map<MemberId, MemberId>();
  /** Announcements so far, with their times. */
  readonly sent: number[] = [];
  /** Who has heard the greatest member. */
  readonly heardGreatest = new Set<MemberId>();
  /** By whom each has been heard. */
  readonly #heardBy = new Map<MemberId, Set<MemberId>>();
  readonly #greatest: MemberId;

  constructor(shape: WorldShape, seed: number) {
    const {
      election,
      size,
      suppress,
      listen = LONG,
      delay = 0.05,
      shared = 0,
      independent = 0,
      buffer,
      more = {},
    } = shape;
    this.#greatest = memberId(size);
    const way = { delay: seconds(delay), jitter: 0, loss: independent };
    const usual = Object.entries(election.options).map(([name, option]) => [name, option.default]);
    const options = {
      ...(Object.fromEntries(usual) as Values),
      announce: seconds(1),
      listen: seconds(listen),
      suppress: seconds(suppress),
      ...more,
    };
    this.group = new VirtualGroup<GroupElectionProtocol>({
      members: Array.from({ length: size }, (_, index) => memberId(index + 1)),
      create: (self) => election.create(self, options),
      codec: election.codec,
      network: { way: () => way, sharedLoss: shared, ...(buffer !== undefined && { buffer }) },
      seed,
      observer: {
        announced: (_member, _message, time) => this.sent.push(time / PRECISION),
        input: (member, input) => {
          if (input.kind !== "message") return;
          if (input.from === this.#greatest) this.heardGreatest.add(member);
          this.#heard(input.from).add(member);
        },
        output: (member, output) => {
          if (output.kind === "elected") this.#leaders.set(member, output.leader);
        },
      },
    });
  }

  get now(): number {
    return this.group.now / PRECISION;
  }

  start(...members: number[]): this {
    for (const member of members) this.group.start(memberId(member));
    return this;
  }

  /** Leaves as its election has it leave, and ends. */
  leave(member: number): void {
    this.group.request(memberId(member), "leave");
    this.stop(member);
  }

  stop(member: number): void {
    this.group.stop(memberId(member));
    this.#leaders.delete(memberId(member));
  }

  run(until: number, enough?: () => boolean): boolean {
    return this.group.run(this.#at(until), enough);
  }

  leaderOf(member: number): MemberId | null {
    return this.#leaders.get(memberId(member)) ?? null;
  }

  followersOf(leader: number): number {
    return [...this.#leaders.values()].filter((each) => each === leader).length;
  }

  /** How many take themselves for the leader. */
  get claimants(): number {
    return [...this.#leaders].filter(([member, leader]) => member === leader).length;
  }

  /** Whom all that live take for the leader. */
  get agreed(): MemberId | null {
    const [leader = null] = this.#leaders.values();
    return leader !== null && this.isAgreedOn(leader) ? leader : null;
  }

  /** All agree on one, and everybody else has heard it. */
  get isLatched(): boolean {
    const { agreed } = this;
    return agreed !== null && this.#heard(agreed).size === this.#leaders.size - 1;
  }

  /** Do all that live take this one for the leader? */
  isAgreedOn(leader: number): boolean {
    for (const each of this.#leaders.values()) if (each !== leader) return false;
    return true;
  }

  /** The part of the time until then in which not all follow the greatest. */
  disagreement(until: number): number {
    const from = this.now;
    let [disagreed, since] = [0, from];
    let wasAgreed = this.isAgreedOn(this.#greatest);
    this.run(until, () => {
      const isAgreed = this.isAgreedOn(this.#greatest);
      if (isAgreed === wasAgreed) return false;
      if (isAgreed) disagreed += this.now - since;
      since = this.now;
      wasAgreed = isAgreed;
      return false;
    });
    if (!wasAgreed) disagreed += until - since;
    return disagreed / (until - from);
  }

  #heard(of: MemberId): Set<MemberId> {
    let heard = this.#heardBy.get(of);
    if (heard === undefined) this.#heardBy.set(of, (heard = new Set()));
    return heard;
  }

  #at(time: number): Instant {
    return instant(time * PRECISION);
  }
}

export interface FirstRound {
  /** Until all have heard whoever is to lead: the greatest, or the one on whom all agree. */
  readonly delay: number;
  /** Announcements before T_S, or at once where it is 0, and until then. */
  readonly inSuppress: number;
  readonly untilLatched: number;
  /** When the first and the last of those before T_S left. */
  readonly first: number;
  readonly last: number;
}

/** All begin together; in which order within the instant is left to chance where it matters. */
export function firstRound(shape: WorldShape, seed: number): FirstRound {
  const { size, suppress, election } = shape;
  const world = begun(shape, seed);
  const isLatched = (): boolean =>
    election.promises === "the greatest" ? world.heardGreatest.size === size - 1 : world.isLatched;
  if (!world.run(PATIENCE, isLatched))
    throw new Error(`seed ${seed}: not all have heard who is to lead after ${PATIENCE} T_A`);
  const [delay, untilLatched] = [world.now, world.sent.length];
  world.run(Math.max(suppress, delay));
  return { delay, untilLatched, ...spoken(world, suppress) };
}

/** The same of elections that need not end: all that was said up to T_S. */
export function silences(shape: WorldShape, seed: number): FirstRound {
  const world = begun(shape, seed);
  world.run(shape.suppress);
  return { delay: Number.NaN, untilLatched: Number.NaN, ...spoken(world, shape.suppress) };
}

function begun(shape: WorldShape, seed: number): GroupElectionWorld {
  const members = Array.from({ length: shape.size }, (_, index) => index + 1);
  const order = shape.buffer === undefined ? members : new Random(seed, 3).shuffle(members);
  return new GroupElectionWorld(shape, seed).start(...order);
}

function spoken({ sent }: GroupElectionWorld, suppress: number) {
  // Who spoke at 0 speaks again at T_A, which may be T_S.
  const inTime = sent.filter((time) => time === 0 || time < suppress);
  const [first = 0, last = 0] = [inTime[0], inTime.at(-1)];
  return { inSuppress: inTime.length, first, last };
}
