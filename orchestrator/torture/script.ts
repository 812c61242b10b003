/**
 * What each kind of incident is, in the common vocabulary of faults: who is struck by what, one moment after
 * the other, and how all of it is undone. Whom it is about is known only when it strikes; all else is drawn
 * from the incident's own seed.
 */

import type { Random } from "#node/core/random.ts";
import { serverId } from "#node/core/identity.ts";
import { microseconds, milliseconds } from "#node/core/time.ts";
import type { End, Fault, LinkFault, Target } from "../fault/fault.ts";
import type { LinkShape } from "../topology/topology.ts";
import { cutWays, type Way } from "./partition.ts";
import type { Strike } from "./schedule.ts";

/** Faults that strike together, so long after the moment before. */
export interface Moment {
  readonly afterMs: number;
  readonly faults: readonly Fault[];
}

export interface Script {
  readonly moments: readonly Moment[];
  /** From the last moment until all is mended. */
  readonly restMs: number;
}

export interface Scene {
  readonly victim: number;
  readonly servers: readonly number[];
  readonly lastsMs: number;
  readonly sessionTimeoutMs: number;
}

const DAY_MS = 86_400_000;
/** While the disks are slow, what is acknowledged must wait for one; then the power goes. */
const HELD_BACK_MS = 1000;
const SLOW = milliseconds(100);
const FLAP_MS = { least: 50, most: 700 };

/** Whatever says nothing else goes on until the time of the incident is over. */
export function scriptOf(kind: Exclude<Strike, "wiped disk">, scene: Scene, random: Random): Script {
  const { victim, servers, lastsMs } = scene;
  const target = serverAt(victim);
  const all = servers.map(serverAt);
  const lasting = (...faults: readonly Fault[]): Script => ({
    moments: [{ afterMs: 0, faults }],
    restMs: lastsMs,
  });
  switch (kind) {
    case "crash":
    case "pause":
      return lasting({ kind, target });
    case "machine crash":
      return lasting({ kind: "crash-machine", target });
    case "crash of all":
      return { ...lasting(...ofEach("crash", all)), restMs: lastsMs / 4 };
    case "pause of a majority":
      return lasting(...ofEach("pause", random.shuffle(all).slice(0, 1 + (all.length >> 1))));
    case "pause, then crash of another":
      return pauseThenCrash(scene, random);
    case "full disk":
      return lasting({ kind: "disk-full", target });
    case "failing fsync":
      return lasting({ kind: "disk-failing", target });
    case "torn log tail":
      return lasting({ kind: "disk-torn", target });
    case "slow disk":
      return lasting(slow(target));
    case "slow disks, then crash of all":
      return {
        moments: [
          { afterMs: 0, faults: all.map(slow) },
          { afterMs: HELD_BACK_MS, faults: ofEach("crash", all) },
        ],
        restMs: lastsMs,
      };
    case "wall clock jump":
      return jump(target, scene, random);
    case "monotonic clock leap":
      return leap(target, scene, random);
    case "flapping links":
      return flapping(scene, random);
    case "forgotten bulk":
      return lasting(...linksTo(scene, random).map((ends): Fault => ({ kind: "forget-bulk", ...ends })));
    case "forgotten connections":
      return lasting(...linksTo(scene, random).map((ends): Fault => ({ kind: "forget-any", ...ends })));
    case "distant links":
    case "lossy links":
    case "narrow links":
    case "duplicating links":
    case "corrupting links":
      return lasting(...linksTo(scene, random).map((ends) => worse(kind, ends, random)));
    default:
      return lasting(...cutWays(kind, servers, victim, random).map(cut));
  }
}

function pauseThenCrash({ victim, servers, lastsMs }: Scene, random: Random): Script {
  const target = serverAt(victim);
  const other = random.pick(servers.filter((server) => server !== victim));
  const moments: readonly Moment[] = [
    { afterMs: 0, faults: [{ kind: "pause", target }] },
    { afterMs: lastsMs, faults: [{ kind: "crash", target: serverAt(other) }] },
    { afterMs: 0, faults: [{ kind: "resume", target }] },
  ];
  return { moments, restMs: lastsMs / 4 };
}

/** Servers look at the time of day when they start. */
function jump(target: End, { lastsMs }: Scene, random: Random): Script {
  const by = milliseconds(random.integer(-DAY_MS, DAY_MS));
  const faults: readonly Fault[] = [
    { kind: "clock-jump", target, by },
    { kind: "crash", target },
    { kind: "restart", target },
  ];
  return { moments: faults.map((fault) => ({ afterMs: 0, faults: [fault] })), restMs: lastsMs };
}

function leap(target: End, { lastsMs, sessionTimeoutMs }: Scene, random: Random): Script {
  const by = milliseconds(random.integer(sessionTimeoutMs / 4, 2 * sessionTimeoutMs));
  return { moments: [{ afterMs: 0, faults: [{ kind: "clock-leap", target, by }] }], restMs: lastsMs / 4 };
}

/** To some of the others. */
function linksTo({ victim, servers }: Scene, random: Random): readonly Ends[] {
  const others = random.shuffle(servers.filter((server) => server !== victim));
  const some = others.slice(0, random.integer(1, others.length));
  return some.map((other) => ({ from: serverAt(victim), to: serverAt(other) }));
}

function worse(kind: LinkStrike, ends: Ends, random: Random): Fault {
  switch (kind) {
    case "distant links":
      return { kind: "link", ...ends, roundTrip: milliseconds(random.integer(100, 800)) };
    case "lossy links":
      return { kind: "loss", ...ends, share: random.integer(1, 30) / 100 };
    case "narrow links":
      return { kind: "rate", ...ends, bitsPerSecond: random.integer(100, 5000) * 1e3 };
    case "duplicating links":
      return { kind: "duplicate", ...ends, share: random.integer(1, 50) / 100 };
    case "corrupting links":
      return { kind: "corrupt", ...ends, share: random.integer(1, 20) / 100 };
  }
}

/** What is between two of the same moments is healed and cut again, until the time is over. */
function flapping({ victim, servers, lastsMs }: Scene, random: Random): Script {
  const moments: Moment[] = [];
  let [gone, afterMs] = [0, 0];
  while (gone < lastsMs) {
    const ways = cutWays("flapping links", servers, victim, random);
    moments.push({ afterMs, faults: ways.map(cut) });
    const lastMs = random.integer(FLAP_MS.least, FLAP_MS.most);
    moments.push({ afterMs: lastMs, faults: ways.map(heal) });
    afterMs = random.integer(FLAP_MS.least, FLAP_MS.most);
    gone += lastMs + afterMs;
  }
  return { moments, restMs: 0 };
}

/**
 * What mends all that was done, one step after the other: first what surrounds the servers, then those end
 * that may have met a disk they cannot go on with, and all come back. `linkOf` is a link as it was.
 */
export function mendingOf(
  done: readonly Fault[],
  linkOf: (from: End, to: End) => LinkShape,
  servers: readonly number[],
): readonly (readonly Fault[])[] {
  const surroundings = done.flatMap((fault) => undone(fault, linkOf));
  const doomed = done.flatMap((fault) => (isDeadly(fault.kind) && "target" in fault ? [fault.target] : []));
  return [
    [{ kind: "heal", from: null, to: null }, ...surroundings],
    ofEach("crash", doomed),
    ofEach("resume", servers.map(serverAt)),
    [{ kind: "restart", target: { kind: "crashed" } }],
  ];
}

function undone(fault: Fault, linkOf: (from: End, to: End) => LinkShape): readonly Fault[] {
  switch (fault.kind) {
    case "link":
      return [{ ...fault, roundTrip: microseconds(2 * linkOf(fault.from, fault.to).delay) }];
    case "loss":
      return [{ ...fault, share: linkOf(fault.from, fault.to).loss }];
    case "duplicate":
    case "corrupt":
      return [{ ...fault, share: 0 }];
    case "rate":
      return [{ ...fault, bitsPerSecond: linkOf(fault.from, fault.to).rate }];
    case "disk-full":
    case "disk-failing":
    case "disk-torn":
    case "disk-slow":
      return [{ kind: "disk-mended", target: fault.target }];
    case "clock-jump":
      return [{ ...fault, by: microseconds(-1 * fault.by) }];
    default:
      return [];
  }
}

const isDeadly = (kind: Fault["kind"]): boolean => ["disk-full", "disk-failing", "disk-torn"].includes(kind);

type LinkStrike = Extract<Strike, `${"distant" | "lossy" | "narrow" | "duplicating" | "corrupting"} links`>;
type Ends = Pick<LinkFault, "from" | "to">;

const serverAt = (server: number): End => ({ kind: "server", server: serverId(server) });

const slow = (target: End): Fault => ({ kind: "disk-slow", target, by: SLOW });

const ofEach = (kind: "crash" | "pause" | "resume", targets: readonly Target[]): readonly Fault[] =>
  targets.map((target) => ({ kind, target }));

const cut = ([from, to]: Way): Fault => ({ kind: "cut-one-way", from: serverAt(from), to: serverAt(to) });
const heal = ([from, to]: Way): Fault => ({ kind: "heal", from: serverAt(from), to: serverAt(to) });
