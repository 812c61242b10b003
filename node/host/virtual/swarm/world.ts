/**
 * One seed draws a whole world: how many servers, how far apart, which oracle, which limits, what clients do,
 * and what goes wrong when. Limits are drawn small, so that what is rare in production (falling out of the
 * history, a snapshot in the middle of an election) happens every other second.
 */

import type { ServerId } from "../../../core/identity.ts";
import { ensemble } from "../../../core/identity.ts";
import { Random } from "../../../core/random.ts";
import { type Duration, milliseconds, seconds } from "../../../core/time.ts";
import { contradictions, HARD } from "../../../election/assumptions.ts";
import {
  choose,
  type ElectionChoice,
  type ElectionName,
  elections,
  entryOf,
  valuesOf,
} from "../../../election/catalog.ts";
import type { Option, Value } from "../../../election/options.ts";
import { type OracleName, oracleNames, oracles } from "../../../oracle/catalog.ts";
import type { ResignTerms } from "../../../oracle/resignation.ts";
import type { OracleOptions } from "../../../oracle/options.ts";
import type { Cut, Target } from "../../../testing/swarm/cut.ts";

export type Fault =
  | { readonly kind: "crash process"; readonly target: Target }
  | { readonly kind: "crash machine"; readonly target: Target }
  | { readonly kind: "crash everything" }
  | { readonly kind: "pause"; readonly target: Target }
  /** A machine that stands still as a whole: neither its process nor its network does anything. */
  | { readonly kind: "suspend"; readonly target: Target }
  | Cut
  | { readonly kind: "break connections" }
  | { readonly kind: "slow disk"; readonly target: Target }
  /** No trouble at all: an operator has who leads give its place to this one of the others. */
  | { readonly kind: "transfer"; readonly to: ServerId };

export interface Incident {
  readonly at: Duration;
  readonly lasts: Duration;
  readonly fault: Fault;
}

export interface World {
  readonly seed: number;
  readonly servers: readonly ServerId[];
  /** One-way delays: by server, milliseconds from a point of the map; the distance is the delay. */
  readonly places: readonly (readonly [number, number])[];
  readonly lanMs: number;
  readonly jitter: number;
  readonly oracle: OracleName;
  readonly preference: readonly ServerId[];
  readonly election: ElectionChoice;
  readonly resign: ResignTerms | null;
  readonly heartbeatPeriod: Duration;
  readonly historyBytes: number;
  readonly windowBytes: number;
  readonly proposeBytes: number;
  readonly checkpointTransactions: number;
  readonly diskMs: number;
  readonly clientsPerServer: number;
  readonly questionEvery: Duration;
  readonly keys: number;
  readonly valueBytes: number;
  readonly driftPpm: number;
  readonly trouble: Duration;
  readonly incidents: readonly Incident[];
}

/** `election`: the one it is to be, instead of any. */
export function drawWorld(seed: number, election: ElectionName | null = null): World {
  const random = new Random(seed);
  const size = random.pick([1, 2, 3, 3, 3, 3, 4, 5, 5, 5, 6, 7]);
  const servers = ensemble(Array.from({ length: size }, (_, index) => index + 1));
  const radiusMs = random.pick([0, 0, 1, 10, 40, 90]);
  const sites = Array.from(
    { length: 3 },
    () => [random.unit() * radiusMs, random.unit() * radiusMs] as const,
  );
  const trouble = seconds(random.integer(6, 20));
  const windowBytes = random.pick([1024, 4096, 2 ** 25, 2 ** 25]);
  return {
    seed,
    servers,
    places: servers.map(() => random.pick(sites)),
    lanMs: random.pick([0.02, 0.1, 0.5]),
    jitter: random.pick([0, 0.02, 0.2]),
    oracle: oracleIn(new Random(seed, ORACLE_STREAM), random),
    preference: random.shuffle(servers),
    election: drawElection(random, election ?? nameIn(new Random(seed, ELECTION_STREAM)), servers),
    resign: drawResign(new Random(seed, RESIGN_STREAM)),
    heartbeatPeriod: milliseconds(random.pick([50, 100, 500])),
    // Through a small window a follower far away cannot follow: it must fall out of the history, and be sent
    // a snapshot, or it would be catching up for minutes.
    historyBytes: random.pick(windowBytes < 65536 ? [512, 4096] : [512, 4096, 65536, 2 ** 26]),
    windowBytes,
    proposeBytes: random.pick([128, 4096, 2 ** 20]),
    checkpointTransactions: random.pick([5, 20, 200, 100_000]),
    diskMs: random.pick([0, 0.1, 1, 10, 50]),
    clientsPerServer: random.integer(1, 3),
    questionEvery: milliseconds(random.pick([5, 20, 100, 300])),
    keys: random.pick([1, 4, 12]),
    valueBytes: random.pick([4, 40, 400]),
    driftPpm: random.pick([0, 50, 500]),
    trouble,
    incidents: [
      ...drawIncidents(random, trouble, size),
      ...drawTransfers(new Random(seed, TRANSFER_STREAM), trouble, servers),
    ].sort((a, b) => a.at - b.at),
  };
}

/** Half the worlds are judged by those of the paper; what else a seed draws does not hang on the others. */
function oracleIn(beyond: Random, random: Random): OracleName {
  const ofPaper = random.pick<OracleName>([
    "history",
    "request",
    "consensus",
    "latency",
    "worst-case",
    "rotating",
    "preference",
  ]);
  const others = oracleNames.filter((name) => oracles[name].symbol === "");
  return beyond.chance(0.5) ? beyond.pick(others) : ofPaper;
}

/** What the oracle is told in this world: each server is a site of its own. */
export const oracleOptionsOf = ({ preference }: World): OracleOptions => ({
  preference,
  sites: preference.map((server) => ({ name: `s${server}`, servers: [server] })),
  struck: preference.slice(1, 2),
});

/**
 * Of those that are right in a world like these. Which one has a generator of its own: what else a seed draws
 * does not hang on how many there are.
 */
const nameIn = (names: Random): ElectionName =>
  names.pick(
    (Object.keys(elections) as ElectionName[]).filter(
      (one) => contradictions(one, entryOf(one).assumes, HARD).length === 0,
    ),
  );

function drawElection(random: Random, name: ElectionName, servers: readonly ServerId[]): ElectionChoice {
  const { options } = entryOf(name);
  return choose(name, (option) => drawOption(random, options[option], servers));
}

function drawOption(random: Random, option: Option | undefined, servers: readonly ServerId[]): Value | null {
  if (option?.drawn !== undefined) return random.pick<Value>(option.drawn);
  return option?.kind === "order" && random.chance(0.5) ? random.shuffle(servers) : null;
}

/** Why the election of this world may find nobody, or null. */
export const mayNotEnd = ({ election }: World): string | null =>
  entryOf(election.name).mayNotEnd?.(valuesOf(election)) ?? null;

const ELECTION_STREAM = 3;
/** As transfers and oracles have. */
const ORACLE_STREAM = 5;
const RESIGN_STREAM = 6;
const TRANSFER_STREAM = 4;

/** In half the worlds leaders resign, as eagerly as they may; what hangs on it stands in `Witness`. */
function drawResign(random: Random): ResignTerms | null {
  if (random.chance(0.5)) return null;
  return {
    margin: random.pick([0, 0.05, 0.3]),
    least: milliseconds(0),
    hold: milliseconds(random.pick([0, 200, 1000])),
    quiet: milliseconds(random.pick([500, 2000])),
    most: random.pick([3, 1000]),
  };
}

function drawIncidents(random: Random, trouble: Duration, size: number): Incident[] {
  const count = random.pick([0, 1, 2, 4, 8, 12, 16]);
  const kinds = random.pick([1, 2, 4, FAULTS.length]);
  const drawers = random.shuffle(FAULTS).slice(0, kinds);
  const incidents: Incident[] = [];
  for (let number = 0; number < count; number++) {
    const draw = random.pick(drawers);
    incidents.push({
      at: milliseconds(random.unit() * (trouble / 1000) * 0.9),
      lasts: milliseconds(random.pick([1, 20, 100, 300, 1000, 3000]) * (0.5 + random.unit())),
      fault: draw(random, size),
    });
  }
  return incidents;
}

function drawTransfers(random: Random, trouble: Duration, servers: readonly ServerId[]): Incident[] {
  const count = random.pick([0, 0, 1, 3, 8]);
  return Array.from({ length: count }, () => ({
    at: milliseconds(random.unit() * (trouble / 1000)),
    lasts: milliseconds(1),
    fault: { kind: "transfer", to: random.pick(servers) },
  }));
}

const target = (random: Random): Target => random.pick(["leader", "leader", "follower", "any"]);

const FAULTS: readonly ((random: Random, size: number) => Fault)[] = [
  (random) => ({ kind: "crash process", target: target(random) }),
  (random) => ({ kind: "crash process", target: target(random) }),
  (random) => ({ kind: "crash machine", target: target(random) }),
  () => ({ kind: "crash everything" }),
  (random) => ({ kind: "pause", target: target(random) }),
  (random) => ({ kind: "suspend", target: target(random) }),
  (random) => ({ kind: "isolate", target: target(random) }),
  (random) => ({ kind: "isolate one way", target: target(random), direction: random.pick(["to", "from"]) }),
  (random, size) => ({ kind: "split", withLeader: random.integer(1, size) }),
  () => ({ kind: "cut pair" }),
  () => ({ kind: "break connections" }),
  (random) => ({ kind: "slow disk", target: target(random) }),
];

export function printFault(fault: Fault): string {
  switch (fault.kind) {
    case "isolate one way":
      return `isolate the ${fault.target} one way (${fault.direction} it)`;
    case "split":
      return `split (${fault.withLeader} with the leader)`;
    case "transfer":
      return `transfer to p${fault.to}`;
    case "crash everything":
    case "cut pair":
    case "break connections":
      return fault.kind;
    default:
      return `${fault.kind}: ${fault.target}`;
  }
}
