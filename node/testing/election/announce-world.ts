/**
 * Members of a group, so few and so slow that everything that can happen to them does: every state in which
 * they can be, every order in which announcements arrive, every wake-up that they may draw.
 *
 * Time goes in ticks. An announcement takes one; of what comes at one tick messages go before timers, as
 * hosts promise. Nothing is lost: what is asked is where members end once the network is good, whatever state
 * it left them in, also with a leader that nobody has seen alive.
 */

import { type MemberId, memberId } from "../../core/identity.ts";
import { round } from "../../core/score.ts";
import { type Duration, microseconds } from "../../core/time.ts";
import {
  AnnounceListen,
  type AnnounceListenProtocol,
  type Memory,
  type Slip,
} from "../../election/announce-listen/announce-listen.ts";
import type { Announcement } from "../../election/announce-listen/announcement.ts";
import type { WakeUp } from "../../election/announce-listen/wake-up.ts";

type Timer = AnnounceListenProtocol["timer"];

export interface AnnounceWorldOptions {
  readonly members: number;
  /** T_A, T_L and T_S in ticks. */
  readonly announce: number;
  readonly listen: number;
  readonly suppress: number;
  /** What somebody claims who wakes at this tick. */
  readonly rank: (wait: number) => number;
  readonly anybody?: boolean;
  readonly slip?: Slip;
  /** Whether members hear their own announcements. */
  readonly loopback?: boolean;
}

/** One that may have led and is not there any more. */
export const DEAD = 9;

interface MemberState {
  readonly leader: number;
  readonly rank: number;
  readonly announces: boolean;
  /** In how many ticks which timer is due. */
  readonly due: Readonly<Partial<Record<Timer, number>>>;
}

interface Flying {
  readonly from: number;
  readonly rank: number;
  readonly kind: Announcement["kind"];
}

export interface TickWorld {
  readonly places: readonly MemberState[];
  readonly flying: readonly Flying[];
}

/** What somebody may draw, chosen from outside. */
interface Draws {
  readonly given: readonly number[];
  taken: number;
}

export class AnnounceWorld {
  readonly #options: AnnounceWorldOptions;
  readonly #times: { readonly announce: Duration; readonly listen: Duration; readonly suppress: Duration };

  constructor(options: AnnounceWorldOptions) {
    this.#options = options;
    const { announce, listen, suppress } = options;
    this.#times = {
      announce: microseconds(announce),
      listen: microseconds(listen),
      suppress: microseconds(suppress),
    };
  }

  /** Every state in which members can be, with every announcement under way. */
  *states(): Generator<TickWorld> {
    const { members } = this.#options;
    const each = Array.from({ length: members }, (_, index) => this.#placesOf(index + 1));
    for (const places of product(each)) {
      const speakers = places.flatMap(({ leader, rank }, index) =>
        leader === index + 1 ? [{ from: leader, rank, kind: "announcement" as const }] : [],
      );
      const ghost = { from: DEAD, rank: this.#options.rank(0), kind: "announcement" as const };
      for (const flying of subsets([...speakers, ghost])) yield { places, flying };
    }
  }

  /** All begin at this tick, with every wake-up that each may draw. */
  beginnings(): readonly TickWorld[] {
    const nobody = { leader: DEAD, rank: 0, announces: false, due: { listen: 0 } };
    const places = Array.from({ length: this.#options.members }, () => nobody);
    return this.next({ places, flying: [] });
  }

  /** All that may come of the next tick. */
  next({ places, flying }: TickWorld): readonly TickWorld[] {
    const found = new Map<string, TickWorld>();
    for (const order of orders(flying)) {
      for (const draws of this.#draws(places, order)) {
        const world = this.#tick(places, order, draws);
        found.set(keyOf(world), world);
      }
    }
    return [...found.values()];
  }

  /** All follow one that is there, and nobody else means to speak. */
  isSettled({ places }: TickWorld): boolean {
    const leader = places[0]?.leader ?? DEAD;
    return (
      places[leader - 1] !== undefined &&
      places.every(
        (place, index) =>
          place.leader === leader &&
          (index + 1 === leader || (place.due.announce === undefined && place.due.suppress === undefined)),
      )
    );
  }

  #placesOf(self: number): readonly MemberState[] {
    const { members, announce, listen, suppress, rank } = this.#options;
    const ranks = [...new Set(upTo(suppress).map(rank))];
    const others = [...upTo(members - 1).map((index) => index + 1), DEAD].filter((other) => other !== self);
    return ranks.flatMap((of) => [
      ...upTo(suppress).map((left) => ({
        leader: self,
        rank: of,
        announces: false,
        due: { suppress: left },
      })),
      ...upTo(announce).map((left) => ({
        leader: self,
        rank: of,
        announces: true,
        due: { announce: left },
      })),
      ...others.flatMap((leader) =>
        upTo(listen).map((left) => ({ leader, rank: of, announces: false, due: { listen: left } })),
      ),
    ]);
  }

  /** As many draws as are asked for, each with every outcome. */
  *#draws(places: readonly MemberState[], order: readonly Flying[]): Generator<readonly number[]> {
    const open: (readonly number[])[] = [[]];
    for (let given = open.pop(); given !== undefined; given = open.pop()) {
      const draws: Draws = { given, taken: 0 };
      this.#tick(places, order, given, draws);
      if (draws.taken <= given.length) yield given;
      else for (const wait of upTo(this.#options.suppress)) open.push([...given, wait]);
    }
  }

  #tick(
    places: readonly MemberState[],
    order: readonly Flying[],
    given: readonly number[],
    draws: Draws = { given, taken: 0 },
  ): TickWorld {
    const flying: Flying[] = [];
    const after = places.map((place, index) => {
      const one = new Living(index + 1, place, this.#options, this.#times, draws);
      for (const said of order) {
        if (said.from !== index + 1 || this.#options.loopback === true) one.hear(said);
      }
      flying.push(...one.ring());
      return one.place();
    });
    return { places: after, flying };
  }
}

/** One member during one tick. */
class Living {
  readonly #self: MemberId;
  readonly #member: AnnounceListen;
  readonly #due: Partial<Record<Timer, number>>;
  readonly #said: Flying[] = [];

  constructor(
    self: number,
    place: MemberState,
    options: AnnounceWorldOptions,
    times: ConstructorParameters<typeof AnnounceListen>[1],
    draws: Draws,
  ) {
    this.#self = memberId(self);
    this.#due = { ...place.due };
    const wakeUp: WakeUp = () => {
      const wait = draws.given[draws.taken++] ?? 0;
      return { wait: microseconds(wait), rank: options.rank(wait) };
    };
    const { anybody = false, slip = null } = options;
    this.#member = new AnnounceListen(this.#self, times, {
      wakeUp,
      anybody,
      slip,
      memory: memoryOf(self, place),
    });
  }

  hear({ from, rank, kind }: Flying): void {
    const number = kind === "bye" ? 2 : 1;
    this.#do(
      this.#member.step({
        kind: "message",
        from: memberId(from),
        message: { kind, life: from, number, rank },
      }),
    );
  }

  /** Everything that is due, also what becomes due by that; what was said. */
  ring(): readonly Flying[] {
    for (let left = MOST_AT_ONCE; left > 0; left--) {
      const timer = (Object.keys(this.#due) as Timer[]).find((name) => this.#due[name] === 0);
      if (timer === undefined) break;
      delete this.#due[timer];
      this.#do(this.#member.step({ kind: "timeout", timer }));
    }
    return this.#said;
  }

  /** A tick later. */
  place(): MemberState {
    const { leader, rank, announces } = this.#member.memory;
    const due: Partial<Record<Timer, number>> = {};
    for (const name of (Object.keys(this.#due) as Timer[]).sort()) due[name] = (this.#due[name] ?? 1) - 1;
    return { leader, rank, announces, due };
  }

  #do(effects: ReturnType<AnnounceListen["step"]>): void {
    for (const effect of effects) {
      if (effect.kind === "arm") this.#due[effect.timer] = effect.after;
      else if (effect.kind === "disarm") delete this.#due[effect.timer];
      else if (effect.kind === "announce")
        this.#said.push({ from: this.#self, rank: effect.message.rank, kind: effect.message.kind });
    }
  }
}

/** Lives and numbers go up for ever; what counts is that what is heard next is new. */
const memoryOf = (self: number, { leader, rank, announces }: MemberState): Memory => ({
  life: self,
  spoken: 0,
  round: round(1),
  leader: memberId(leader),
  rank,
  heard: leader === self ? null : { life: leader, number: 0 },
  announces,
});

const MOST_AT_ONCE = 8;

export const keyOf = ({ places, flying }: TickWorld): string =>
  JSON.stringify([places, [...flying].sort((a, b) => a.from - b.from || a.rank - b.rank)]);

/** In words, for a counterexample: whom each follows, and what is under way. */
export function printWorld({ places, flying }: TickWorld): string {
  const words = places.map(({ leader, due }, index) => {
    const timers = Object.entries(due).map(([timer, left]) => `${timer} in ${left}`);
    return `${index + 1} ${leader === index + 1 ? "leads" : `follows ${leader}`} (${timers.join(", ")})`;
  });
  const said = flying.map(({ from }) => from).join(", ");
  return `${words.join("; ")}${said === "" ? "" : `; under way: ${said}`}`;
}

const upTo = (most: number): number[] => Array.from({ length: most + 1 }, (_, value) => value);

function* product<T>(of: readonly (readonly T[])[]): Generator<readonly T[]> {
  const [first, ...rest] = of;
  if (first === undefined) yield [];
  else for (const one of first) for (const others of product(rest)) yield [one, ...others];
}

function subsets<T>(of: readonly T[]): readonly (readonly T[])[] {
  return of.reduce<readonly (readonly T[])[]>(
    (all, one) => [...all, ...all.map((some) => [...some, one])],
    [[]],
  );
}

function orders<T>(of: readonly T[]): readonly (readonly T[])[] {
  if (of.length < 2) return [of];
  return of.flatMap((first, at) => orders(of.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}
