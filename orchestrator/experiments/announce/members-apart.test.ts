// lane: works, 30 s
/**
 * Groups that no page lists: the whole way of `make members` beside a simulation that shares no line with it,
 * and beside the closed formulas where there are some. T_A = 1 s.
 */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Duration, seconds } from "#node/core/time.ts";
import * as formulas from "./formulas.ts";
import { conclude } from "../../measure/conclude.ts";
import { type MembersFlags, planMembers } from "../../plan/members-flags.ts";
import { deviation, mean } from "../../statistics/summary.ts";
import { withLink } from "../../topology/topology.ts";
import { simulateElection } from "../../runner/virtual/members.ts";

interface Point {
  readonly election?: "le-a" | "le-s";
  /** That begin together. */
  readonly members: number;
  /** What each listener loses of all messages, in all; and what of it all lose together. */
  readonly loss?: number;
  readonly shared?: number;
  readonly delay: number;
  readonly suppress?: number;
  readonly listen?: number;
  readonly steepness?: number;
  /** Late, when all has settled. */
  readonly later?: "a larger joins" | "a smaller joins" | "the leader dies" | "the leader leaves";
  readonly bye?: number;
}

/** Until latched, or until all agree after what happens then; announcements in T_S. */
interface Told {
  readonly delay: number;
  readonly inSuppress: number;
}

const LATE = 20;
const LONG = 900;

/** The simulation apart. */
class Apart {
  readonly #point: Required<Omit<Point, "later" | "election">> & Pick<Point, "later">;
  readonly #unit: () => number;
  readonly #leader = new Map<number, number>();
  readonly #timers = new Map<string, number>();
  readonly #heard = new Set<number>();
  #flying: { at: number; from: number; to: number; bye: boolean }[] = [];
  #now = 0;
  #spoken = 0;

  constructor({ election = "le-s", ...point }: Point, unit: () => number) {
    const usual = { loss: 0, shared: 0, suppress: 0.5, listen: LONG, steepness: 0, bye: 0 };
    this.#point = { ...usual, ...point, ...(election === "le-a" && { suppress: 0 }) };
    this.#unit = unit;
  }

  /** Null when they differed when the leader was to go. */
  run(): Told | null {
    const { members, suppress, later } = this.#point;
    const first = later === "a smaller joins" ? 2 : 1;
    const greatest = first + members - 1;
    for (let who = first; who <= greatest; who++) this.#begin(who);
    if (later === undefined) {
      let latched = Infinity;
      while (latched === Infinity || this.#next() <= suppress) {
        this.#step();
        for (const [who, leader] of this.#leader) if (leader === greatest) this.#heard.add(who);
        if (this.#heard.size === members) latched = Math.min(latched, this.#now);
      }
      return { delay: latched, inSuppress: this.#spoken };
    }
    const at = LATE + this.#unit();
    while (this.#next() < at) this.#step();
    this.#now = at;
    const awaited = this.#happens(later, greatest);
    if (awaited === null) return null;
    while (!this.#agreeOn(awaited)) this.#step();
    return { delay: this.#now - at, inSuppress: this.#spoken };
  }

  #happens(later: NonNullable<Point["later"]>, greatest: number): number | null {
    if (later === "a larger joins") this.#begin(greatest + 1);
    if (later === "a larger joins") return greatest + 1;
    if (later === "a smaller joins") this.#begin(1);
    if (later === "a smaller joins") return greatest;
    if (!this.#agreeOn(greatest)) return null;
    for (let copy = 0; later === "the leader leaves" && copy < this.#point.bye; copy++)
      this.#say(greatest, true);
    this.#leader.delete(greatest);
    this.#timers.delete(`speak ${greatest}`);
    return greatest - 1;
  }

  #agreeOn(one: number): boolean {
    return [...this.#leader.values()].every((leader) => leader === one);
  }

  #next(): number {
    return Math.min(...this.#flying.map(({ at }) => at), ...this.#timers.values());
  }

  /** What arrives comes before what ends at the same moment. */
  #step(): void {
    this.#now = this.#next();
    const message = this.#flying.find(({ at }) => at === this.#now);
    if (message !== undefined) {
      this.#flying = this.#flying.filter((one) => one !== message);
      this.#hear(message);
      return;
    }
    const [timer = ""] = [...this.#timers].find(([, at]) => at === this.#now) ?? [];
    const who = Number(timer.split(" ")[1]);
    this.#timers.delete(timer);
    if (timer.startsWith("doubt")) this.#begin(who);
    else {
      this.#say(who, false);
      this.#timers.set(timer, this.#now + 1);
    }
  }

  #begin(who: number): void {
    const { suppress, steepness } = this.#point;
    const u = this.#unit();
    const share = steepness === 0 ? u : Math.log(1 + u * Math.expm1(steepness)) / steepness;
    this.#leader.set(who, who);
    this.#timers.delete(`doubt ${who}`);
    this.#timers.set(`speak ${who}`, this.#now + share * suppress);
  }

  #say(from: number, bye: boolean): void {
    const { members, loss, shared, delay, suppress } = this.#point;
    if (this.#now <= suppress) this.#spoken += 1;
    if (this.#unit() < shared) return;
    // Who begins while it is under way hears it too.
    for (let to = 1; to <= members + 1; to++) {
      if (to === from || this.#unit() < 1 - (1 - loss) / (1 - shared)) continue;
      this.#flying.push({ at: this.#now + delay, from, to, bye });
    }
  }

  #hear({ from, to, bye }: { from: number; to: number; bye: boolean }): void {
    const leader = this.#leader.get(to);
    if (leader === undefined || from < leader || (bye && from > leader)) return;
    if (bye) {
      this.#begin(to);
      return;
    }
    this.#leader.set(to, from);
    this.#timers.delete(`speak ${to}`);
    this.#timers.set(`doubt ${to}`, this.#now + this.#point.listen);
  }
}

/** Numbers drawn by a rule of its own (mulberry32). */
function drawn(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const FAULTS = {
  "a larger joins": "restart crashed",
  "a smaller joins": "restart crashed",
  "the leader dies": "crash leader",
  "the leader leaves": "leave leader",
} as const;

/** As `make members` does it. */
function product(point: Point, seed: number): Told | null {
  const { election = "le-s", members, loss = 0, shared = 0, delay, later } = point;
  const { suppress = 0.5, listen = LONG, steepness = 0, bye = 0 } = point;
  const percent = (of: number): string => `${Number((100 * of).toPrecision(9))}%`;
  const at = LATE + drawn(seed)();
  const joins = later === "a larger joins" || later === "a smaller joins";
  const first = later === "a smaller joins" ? 2 : 1;
  const flags: MembersFlags = {
    election,
    members: String(joins ? members + 1 : members),
    initiators: `${first}-${first + members - 1}`,
    duration: later === undefined ? "30s" : "60s",
    listen: `${listen}s`,
    bye: String(bye),
    ...(election === "le-s" && { suppress: `${suppress}s`, steepness: String(steepness) }),
    ...(loss > 0 && { loss: percent(loss) }),
    ...(loss > 0 && shared > 0 && { shared: percent(shared) }),
    ...(later !== undefined && { fault: [`${Math.round(at * 1e3)}ms ${FAULTS[later]}`] }),
  };
  const plan = planMembers(flags, "sim");
  const topology = withLink(plan.topology, "lan", "lan", { delay: seconds(delay), jitter: null });
  const recording = simulateElection({ ...plan, topology, seed }, { handling: 0 as Duration });
  const { measures } = conclude(recording);
  const { disturbances, messages, agreements } = measures;
  const found = later === undefined ? disturbances[0]?.latchedMs : disturbances[1]?.agreedMs;
  const goes = later === "the leader dies" || later === "the leader leaves";
  if (goes && agreements.every(({ to }) => to !== recording.marks[0]?.at)) return null;
  return { delay: (found ?? Number.NaN) / 1e3, inSuppress: messages.firstRound };
}

const D = 0.05;
const gone = { suppress: 0.3, listen: 2.5 };

/** What the closed formulas say, where there are some. */
const POINTS: readonly (readonly [Point, Partial<Told>])[] = [
  [
    { members: 7, loss: 0.03, shared: 0.03, delay: 0.005 },
    {
      delay: formulas.leadershipDelay("shared", 0.03, 7, 0.5) + 0.005,
      inSuppress: formulas.messages(7, 0.03, 0.01),
    },
  ],
  [
    { members: 7, loss: 0.25, delay: 0.09 },
    { delay: formulas.leadershipDelay("independent", 0.25, 7, 0.5) + 0.09 },
  ],
  [
    { members: 13, loss: 0.25, shared: 0.1, delay: 0.04 },
    { delay: 0.25 + formulas.mixedRounds(0.25, 0.1, 12) + 0.04 },
  ],
  [{ members: 13, delay: 0.02, steepness: 4 }, { inSuppress: formulas.lateMessages(13, 0.04, 4) }],
  [
    { members: 23, loss: 0.25, shared: 0.25, delay: 0.06 },
    {
      delay: formulas.leadershipDelay("shared", 0.25, 23, 0.5) + 0.06,
      inSuppress: formulas.messages(23, 0.25, 0.12),
    },
  ],
  [
    { members: 23, loss: 0.03, shared: 0.01, delay: 0.015, suppress: 0.8 },
    { delay: 0.4 + formulas.mixedRounds(0.03, 0.01, 22) + 0.015 },
  ],
  [
    { election: "le-a", members: 13, loss: 0.25, delay: 0.03 },
    { delay: formulas.leadershipDelay("independent", 0.25, 13, 0) + 0.03, inSuppress: 13 },
  ],
  [
    { members: 7, loss: 0.03, delay: D, ...gone, later: "the leader dies" },
    { delay: formulas.independentDeparture({ members: 7, loss: 0.03, delay: D, ...gone }) },
  ],
  [
    { members: 7, loss: 0.25, shared: 0.25, delay: D, ...gone, listen: 4.5, later: "the leader dies" },
    { delay: formulas.sharedDeparture({ members: 7, loss: 0.25, delay: D, ...gone, listen: 4.5 }) },
  ],
  [
    { members: 13, delay: 0.07, ...gone, bye: 1, later: "the leader leaves" },
    { delay: 2 * 0.07 + gone.suppress / 2 },
  ],
  [{ members: 7, loss: 0.25, delay: 0.03, ...gone, listen: 5.5, bye: 4, later: "the leader leaves" }, {}],
  [
    { members: 13, loss: 0.25, delay: 0.035, later: "a larger joins" },
    { delay: formulas.largerJoiner("independent", 0.25, 13, 0.5) + 0.035 },
  ],
  [
    { members: 7, loss: 0.03, shared: 0.03, delay: 0.09, later: "a smaller joins" },
    { delay: formulas.smallerJoiner(0.03) },
  ],
];

const [PRODUCT_RUNS, APART_RUNS] = [200, 2000];

const meansOf = (all: readonly (Told | null)[], of: keyof Told) => {
  const values = all.filter((one) => one !== null).map((one) => one[of]);
  return { mean: mean(values), error: deviation(values) / Math.sqrt(values.length) };
};

function labelOf({ election = "le-s", members, loss = 0, shared = 0, delay, later, ...more }: Point): string {
  const rest = Object.entries(more).map(([name, value]) => `, ${name} ${value}`);
  const what = `${election} of ${members}, loss ${loss}, ${shared} shared, D ${delay}${rest.join("")}`;
  return `${what}, ${later ?? "from the beginning"}`;
}

suite("groups that no page lists", () => {
  for (const [point, formula] of POINTS) {
    test(labelOf(point), (t) => {
      const ours = Array.from({ length: PRODUCT_RUNS }, (_, seed) => product(point, seed + 1));
      const theirs = Array.from({ length: APART_RUNS }, (_, seed) =>
        new Apart(point, drawn(7919 * seed + 1)).run(),
      );
      for (const name of ["delay", "inSuppress"] as const) {
        if (name === "inSuppress" && point.later !== undefined) continue;
        const [our, their] = [meansOf(ours, name), meansOf(theirs, name)];
        const asked = formula[name];
        const room = 4 * Math.hypot(our.error, their.error) + 0.001;
        const said = `${name}: ${our.mean.toFixed(4)}, apart ${their.mean.toFixed(4)} +- ${room.toFixed(4)}`;
        t.diagnostic(`${said}, formula ${asked?.toFixed(4) ?? "none"}`);
        assert.ok(Math.abs(our.mean - their.mean) <= room, said);
        if (asked === undefined) continue;
        assert.ok(Math.abs(their.mean - asked) <= 4 * their.error + 0.001, `${said}, formula ${asked}`);
        assert.ok(Math.abs(our.mean - asked) <= 4 * our.error + 0.001, `${said}, formula ${asked}`);
      }
    });
  }
});
