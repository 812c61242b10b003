/**
 * What happens to an ensemble, drawn from a seed: which faults, to whom, for how long, and what rest there is
 * between two. Whom they hit is said by role, for who leads is known only when they strike. What is drawn
 * only then comes from the fault's own seed, so that nothing that the servers do shifts what comes after.
 */

import type { Random } from "#node/core/random.ts";

export type Victim = "leader" | "follower" | "anybody";

/** Every kind, with how often it is drawn beside the others. */
const WEIGHTS = {
  crash: 3,
  "machine crash": 2,
  "crash of all": 1,
  pause: 3,
  "pause of a majority": 1,
  /** The leader is paused, and one of those who followed it crashes when it comes back. */
  "pause, then crash of another": 1,
  "minority partition": 3,
  "majority partition": 2,
  /** Nobody reaches anybody. */
  "shattered network": 1,
  "one-way cut": 2,
  "flapping links": 2,
  /** Two halves that reach each other over one server only, who reaches all. */
  "bridge partition": 2,
  /** Of the connections between one server and some others, one each: what carries writes, or any. */
  "forgotten bulk": 2,
  "forgotten connections": 1,
  "full disk": 2,
  "failing fsync": 1,
  "torn log tail": 1,
  "slow disk": 1,
  /** What the servers were about to write is lost with them. */
  "slow disks, then crash of all": 1,
  "wiped disk": 1,
  /** A crash, after which the server finds another time of day. */
  "wall clock jump": 1,
  "monotonic clock leap": 1,
  /**
   * Between one server and some others: far away, or of their packets some come not at all, twice, or wrong.
   */
  "distant links": 1,
  "lossy links": 2,
  "narrow links": 1,
  "duplicating links": 1,
  "corrupting links": 1,
} as const;

/** What a table calls it, and `script.ts` tells in faults of the common vocabulary. */
export type Strike = keyof typeof WEIGHTS;
export const STRIKES = Object.keys(WEIGHTS) as readonly Strike[];
export const isStrike = (kind: string): kind is Strike => Object.hasOwn(WEIGHTS, kind);

/** Kinds that need a disk or a clock that can be made to go wrong. */
export const BENDING: ReadonlySet<Strike> = new Set<Strike>([
  "failing fsync",
  "torn log tail",
  "slow disk",
  "slow disks, then crash of all",
  "wall clock jump",
  "monotonic clock leap",
]);

/** Kinds after which a server comes back with another disk. */
export const RENEWING: ReadonlySet<Strike> = new Set<Strike>(["wiped disk"]);

/** Kinds after which a server that notices no silence is left alone. */
export const FORGETTING: ReadonlySet<Strike> = new Set<Strike>(["forgotten connections"]);

/** Waits until all are well before and after, so it is no part of several at once. */
const ALONE: ReadonlySet<Strike> = new Set<Strike>(["wiped disk"]);

export interface Struck {
  readonly kind: Strike;
  readonly victim: Victim;
  readonly seed: number;
}

export interface Incident {
  /** More than one strike at once. */
  readonly strikes: readonly Struck[];
  readonly restMs: number;
  readonly lastsMs: number;
}

export interface Terms {
  readonly sessionTimeoutMs: number;
  readonly kinds: readonly Strike[];
}

const SEVERAL = "several at once";
const SEVERAL_CHANCE = 0.15;

export function drawIncident(random: Random, { sessionTimeoutMs, kinds }: Terms): Incident {
  const mixable = kinds.filter((kind) => !ALONE.has(kind));
  const isMixed = mixable.length > 1 && random.chance(SEVERAL_CHANCE);
  const count = isMixed ? random.integer(2, 3) : 1;
  return {
    strikes: Array.from({ length: count }, () => ({
      kind: drawKind(random, isMixed ? mixable : kinds),
      victim: random.pick<Victim>(["leader", "leader", "follower", "anybody"]),
      seed: random.uint32(),
    })),
    restMs: random.integer(200, 2500),
    lastsMs: drawDuration(random, sessionTimeoutMs),
  };
}

/** What a table counts it as. */
export const nameOf = ({ strikes }: Incident): string =>
  strikes.length > 1 ? SEVERAL : (strikes[0]?.kind ?? SEVERAL);

function drawKind(random: Random, kinds: readonly Strike[]): Strike {
  return random.pick(kinds.flatMap((kind) => Array.from({ length: WEIGHTS[kind] }, () => kind)));
}

/**
 * Short; longer than a session lives; or in between, long enough for another leader and too short for clients
 * to leave, so that what they have asked waits for a leader that is none any more.
 */
function drawDuration(random: Random, sessionTimeoutMs: number): number {
  const [low, high] = random.pick([
    [0.02, 0.4],
    [0.4, 0.7],
    [1, 1.5],
  ] as const);
  return random.integer(low * sessionTimeoutMs, high * sessionTimeoutMs);
}
