/**
 * One seed draws a world of whole servers: how many, how far apart, on which disks, with which limits; which
 * clients come and how they behave; which kinds of trouble there are at all, and when each strikes. Most
 * kinds are left out of most worlds, because what happens between two kinds shows where others do not hide
 * it.
 */

import { ensemble, type ServerId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import { type Duration, microseconds, milliseconds, seconds } from "../../core/time.ts";
import type { OracleName } from "../../oracle/catalog.ts";
import type { Fault, Incident, Target } from "./fault.ts";

/** What a client is like. */
export interface GuestPlan {
  readonly name: string;
  readonly timeout: Duration;
  readonly every: Duration;
  /** Asks for nothing that changes anything. */
  readonly onlyReads: boolean;
  readonly watches: boolean;
  /** Ends its session now and then, and begins another. */
  readonly isFickle: boolean;
  /** So many questions in one go. */
  readonly atOnce: number;
  readonly order: "fixed" | "next" | "shuffled";
  readonly first: number;
}

/** Somebody who asks for more than anybody should have. */
export interface StrangerPlan {
  readonly kind: "names" | "known" | "unread" | "acls";
  readonly at: Duration;
  readonly server: ServerId;
}

/** A second hold on the session of a client, at another server, for a while. */
export interface HandlePlan {
  /** Whose session it takes. */
  readonly guest: string;
  readonly at: Duration;
  readonly lasts: Duration;
  readonly first: number;
}

/** Many that begin a session each, say nothing more, and hang up together. */
export interface CrowdPlan {
  readonly sessions: number;
  readonly timeout: Duration;
  readonly at: Duration;
  readonly server: ServerId;
}

/** What is in few worlds, drawn by itself, so that what the others are does not hang on it. */
export interface Features {
  readonly handles: readonly HandlePlan[];
  readonly crowd: CrowdPlan | null;
  /** Clients hide a znode from everybody, and look whether it is there. */
  readonly hides: boolean;
  /** Clients read who the servers are. */
  readonly asksWho: boolean;
}

/** What a server may be started with otherwise the next time. */
export interface Settings {
  readonly historyBytes: number;
  readonly windowBytes: number;
  readonly proposeBytes: number;
  readonly checkpointTransactions: number;
  readonly segmentBytes: number;
}

export interface ServerWorld {
  readonly seed: number;
  readonly servers: readonly ServerId[];
  readonly wayMs: number;
  readonly jitter: number;
  readonly oracle: OracleName;
  readonly heartbeat: Duration;
  readonly tick: Duration;
  readonly settings: Settings;
  readonly diskMs: number;
  readonly tears: boolean;
  readonly driftPpm: number;
  readonly asIn380: boolean;
  readonly keys: number;
  readonly valueBytes: number;
  readonly guests: readonly GuestPlan[];
  readonly strangers: readonly StrangerPlan[];
  readonly features: Features;
  readonly trouble: Duration;
  readonly incidents: readonly Incident[];
}

export function drawServerWorld(seed: number): ServerWorld {
  const random = new Random(seed, WORLD_STREAM);
  const size = random.pick([1, 2, 3, 3, 3, 3, 3, 3, 4, 5, 5]);
  const trouble = milliseconds(random.integer(2000, 9000));
  const tick = milliseconds(random.pick([200, 500, 1000]));
  const settings = drawSettings(random);
  const servers = ensemble(Array.from({ length: size }, (_, index) => index + 1));
  return withFeatures({
    seed,
    servers,
    wayMs: random.pick([0.1, 0.1, 1, 20]),
    jitter: random.pick([0, 0.02, 0.2]),
    oracle: random.pick(["history", "request", "latency", "rotating"]),
    heartbeat: milliseconds(random.pick([50, 100, 200])),
    tick,
    settings,
    diskMs: random.pick([0.1, 1, 1, 10]),
    tears: random.chance(0.5),
    driftPpm: random.pick([0, 50, 500]),
    asIn380: random.chance(0.2),
    keys: random.pick([1, 3, 6]),
    valueBytes: random.pick([4, 40, 400]),
    guests: drawGuests(random, size, tick),
    strangers: random.chance(0.06)
      ? [
          {
            kind: random.pick(["names", "known", "unread"]),
            at: microseconds(random.unit() * trouble * 0.8),
            server: random.pick(servers),
          },
        ]
      : [],
    trouble,
    features: NOTHING_BESIDES,
    incidents: drawIncidents(random, trouble, size),
  });
}

const NOTHING_BESIDES: Features = { handles: [], crowd: null, hides: false, asksWho: false };

/** The same world with what is drawn by itself. */
function withFeatures(world: ServerWorld): ServerWorld {
  const random = new Random(world.seed, FEATURE_STREAM);
  const { servers, trouble, tick, incidents, strangers } = world;
  const sometime = (): Duration => microseconds(random.unit() * trouble * 0.7);
  const hasHandles = servers.length > 1 && random.chance(0.08);
  // Who only reads may keep its old connection; who writes must lose it.
  const onlyReads = random.chance(0.5);
  const guests = world.guests.map((guest) =>
    hasHandles ? { ...guest, watches: false, isFickle: false, onlyReads } : guest,
  );
  const handles = guests.map(({ name, first }) => ({
    guest: name,
    at: sometime(),
    lasts: milliseconds(random.integer(200, 4000)),
    first: (first + random.integer(1, Math.max(1, servers.length - 1))) % servers.length,
  }));
  const crowd = {
    sessions: random.integer(600, 800),
    timeout: (tick * random.pick([2, 4, 8])) as Duration,
    // In peace it is seen how soon they end.
    at: random.chance(0.5) ? sometime() : ((trouble - LAST_MOMENT) as Duration),
    server: random.pick(servers),
  };
  const features = {
    handles: hasHandles ? handles : [],
    crowd: random.chance(0.015) ? crowd : null,
    hides: random.chance(0.1),
    asksWho: random.chance(0.1),
  };
  const greedy = { kind: "acls", at: sometime(), server: random.pick(servers) } as const;
  const isGreedy = random.chance(0.02);
  const more = random.chance(0.15) ? [drawRare(random, world)] : [];
  return {
    ...world,
    guests,
    features,
    strangers: isGreedy ? [...strangers, greedy] : strangers,
    incidents: [...incidents, ...more].sort((a, b) => a.at - b.at),
  };
}

/** What strikes seldom by chance: longer than a session lives, or just not so long. */
function drawRare(random: Random, { trouble, tick }: ServerWorld): Incident {
  const at = microseconds(random.unit() * trouble * 0.7);
  const target = random.pick(["leader", "follower", "any"] as const);
  const timeout = tick * random.pick([2, 3, 4, 6]);
  const fault = random.pick<Fault>([
    { kind: "lost quorum" },
    { kind: "cut clients", target },
    { kind: "late checkpoint", target: "follower" },
    { kind: "late checkpoint", target: "any" },
  ]);
  const share = fault.kind === "cut clients" ? 0.75 + 0.2 * random.unit() : 1 + random.unit();
  return { number: RARE, at, lasts: microseconds(Math.min(timeout * share, LONGEST)), fault };
}

/** Small enough that what is rare in production happens every other second. */
export function drawSettings(random: Random): Settings {
  const windowBytes = random.pick([4096, 2 ** 25, 2 ** 25]);
  return {
    // Through a small window a follower cannot catch up by differences for ever.
    historyBytes: random.pick(windowBytes < 65536 ? [512, 4096] : [512, 4096, 65536, 2 ** 26]),
    windowBytes,
    proposeBytes: random.pick([128, 4096, 14 * 1024]),
    checkpointTransactions: random.pick([5, 20, 100, 100_000]),
    segmentBytes: random.pick([5 * 4096, 8 * 4096, 16 * 4096]),
  };
}

function drawGuests(random: Random, size: number, tick: Duration): GuestPlan[] {
  const every = random.pick([20, 50, 100, 250]);
  const watches = random.chance(0.6);
  const pipelines = random.chance(0.3);
  return Array.from({ length: random.integer(1, 4) }, (_, index) => ({
    name: `g${index + 1}`,
    timeout: (tick * random.pick([2, 3, 4, 6, 10])) as Duration,
    // Some say little but pings.
    every: milliseconds((random.chance(0.2) ? 20_000 : every) * (0.5 + random.unit())),
    onlyReads: random.chance(0.2),
    watches: watches && random.chance(0.7),
    isFickle: random.chance(0.15),
    atOnce: pipelines ? random.integer(2, 40) : 1,
    order: random.pick(["fixed", "next", "shuffled"]),
    first: random.integer(0, size - 1),
  }));
}

function drawIncidents(random: Random, trouble: Duration, size: number): Incident[] {
  const count = random.pick([0, 1, 2, 3, 5, 8]);
  const drawers = random.shuffle(FAULTS).slice(0, random.pick([1, 2, 3, 5, FAULTS.length]));
  const incidents: Incident[] = [];
  for (let number = 0; number < count; number++) {
    const draw = random.pick(drawers);
    incidents.push({
      number,
      at: microseconds(random.unit() * trouble * 0.9),
      lasts: milliseconds(random.pick([1, 50, 300, 1000, 3000, 5000]) * (0.5 + random.unit())),
      fault: draw(random, size),
    });
  }
  // One that has forgotten what it acknowledged is as many as an ensemble outlives, if the others are a
  // quorum.
  if (size > 2 && random.chance(0.1)) {
    const lasts = milliseconds(random.integer(1, 2000));
    const at = microseconds(random.unit() * trouble * 0.9);
    incidents.push({ number: count, at, lasts, fault: { kind: "new disk", target: target(random) } });
  }
  return incidents.sort((a, b) => a.at - b.at);
}

const target = (random: Random): Target => random.pick(["leader", "leader", "follower", "any", "last"]);

const FAULTS: readonly ((random: Random, size: number) => Fault)[] = [
  (random) => ({ kind: "crash process", target: target(random) }),
  (random) => ({ kind: "crash machine", target: target(random) }),
  (random) => ({ kind: "stop", target: target(random) }),
  () => ({ kind: "crash everything" }),
  (random) => ({ kind: "pause", target: target(random) }),
  (random) => ({ kind: "suspend", target: target(random) }),
  (random) => ({ kind: "isolate", target: target(random) }),
  (random) => ({ kind: "isolate one way", target: target(random), direction: random.pick(["to", "from"]) }),
  (random, size) => ({ kind: "split", withLeader: random.integer(1, size) }),
  () => ({ kind: "cut pair" }),
  () => ({ kind: "forget bulk" }),
  (random) => ({ kind: "cut clients", target: target(random) }),
  (random) => ({ kind: "slow disk", target: target(random), factor: random.pick([10, 100]) }),
  (random) => ({
    kind: "stalled disk",
    target: target(random),
    files: random.pick(["", "log.", "snapshot."]),
  }),
  (random) => ({ kind: "full disk", target: target(random) }),
  (random) => ({ kind: "failing disk", target: target(random) }),
  (random) => ({
    kind: "set clock",
    target: target(random),
    by: seconds(random.pick([-3600, -1, 1, 3600])),
  }),
  (random) => ({ kind: "leap clock", target: target(random), by: milliseconds(random.pick([100, 5000])) }),
  (random) => ({ kind: "other settings", target: target(random) }),
];

const WORLD_STREAM = 7;
const FEATURE_STREAM = 9;
/** Behind the numbers of all others. */
const RARE = 50;
const LONGEST = seconds(6);
const LAST_MOMENT = milliseconds(600);
