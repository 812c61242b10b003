/**
 * Small worlds under arbitrary faults: whatever order messages, disks, crashes and timers come in, the
 * invariants hold at every step, and once the faults stop one leader suffices to bring everyone level.
 */

import assert from "node:assert/strict";
import test from "node:test";
import type { ServerId } from "../core/identity.ts";
import { MUTANTS, type Mutant } from "../core/mutant.ts";
import { majority } from "../core/quorum.ts";
import { Random } from "../core/random.ts";
import { recover } from "../core/recovery.ts";
import { NO_EPOCH } from "../core/zxid.ts";
import type { BroadcastEvent } from "../telemetry/broadcast-event.ts";
import { Invariants } from "../testing/broadcast/invariants.ts";
import { SmallWorld } from "../testing/broadcast/world.ts";

/** So little is kept in memory, and so little may be under way, that snapshots and stalls are everyday. */
const cramped = {
  historyBytes: 500,
  windowBytes: 400,
  proposeBytes: 200,
  chunksUnderWay: 2,
  checkpointTransactions: 7,
} as const;

interface Outcome {
  executed: number;
  epochs: number;
  pulls: number;
  snapshots: number;
  truncations: number;
  lost: number;
  returned: number;
}

const NOTHING = (): Outcome => ({
  executed: 0,
  epochs: 0,
  pulls: 0,
  snapshots: 0,
  truncations: 0,
  lost: 0,
  returned: 0,
});

const WORLDS = 400;

test("no world of arbitrary faults breaks an invariant", () => {
  const sum = NOTHING();
  for (let seed = 1; seed <= WORLDS; seed++) add(sum, live(seed, null));
  // A world in which little happens proves little.
  const { executed, epochs, pulls, snapshots, truncations } = sum;
  assert.ok(executed > 10 * WORLDS && epochs > 2 * WORLDS, JSON.stringify(sum));
  assert.ok(Math.min(pulls, snapshots, truncations) > WORLDS / 20, JSON.stringify(sum));
});

test("nor does one in which disks are lost, as long as a quorum keeps theirs", () => {
  const sum: Outcome = NOTHING();
  for (let seed = 1; seed <= WORLDS; seed++) add(sum, live(seed, null, true));
  assert.ok(sum.executed > 8 * WORLDS && sum.lost > WORLDS && sum.returned > WORLDS / 2, JSON.stringify(sum));
});

test("and it would be noticed if a server with a new disk were believed", () => {
  assert.throws(() => {
    for (let seed = 1; seed <= WORLDS; seed++) live(seed, "new-disk-believed", true);
  }, /seed \d+: /);
});

/**
 * The mistakes that show in so few worlds; others have their story in `recovery.test.ts` and
 * `service.test.ts`.
 */
const MISTAKES: readonly (keyof typeof MUTANTS)[] = [
  "acknowledge-before-durable",
  "commit-without-quorum",
  "commit-own-without-disk",
  "no-pull",
  "forget-promise",
  "forget-epoch",
  "skip-truncate",
  "stale-leader-serves",
  "snapshot-without-last",
  "reorder-commits",
  "deliver-before-commit",
  "reuse-epoch",
  "retake-epoch",
  "serve-before-synchronized",
];

for (const mutant of MISTAKES) {
  test(`it would be noticed if ${MUTANTS[mutant]}`, () => {
    assert.throws(() => {
      for (let seed = 1; seed <= WORLDS; seed++) live(seed, mutant);
    }, /seed \d+: /);
  });
}

function add(sum: Outcome, outcome: Outcome): void {
  for (const key of Object.keys(sum) as (keyof Outcome)[]) sum[key] += outcome[key];
}

function live(seed: number, mutant: Mutant | null, losses = false): Outcome {
  const random = new Random(seed);
  const size = random.pick([1, 2, 3, 3, 3, 4, 5, 5]);
  const outcome = NOTHING();
  const judge = new Invariants();
  const world: SmallWorld = new SmallWorld({
    servers: size,
    options: cramped,
    mutant,
    perChunk: random.integer(1, 4),
    turns: random.chance(0.3),
    watch: (event) => {
      judge.hear(world, event);
      if (event.kind === "output" && event.output.kind === "event") count(outcome, event.output.event);
    },
  });
  try {
    world.startAll();
    const faults = random.unit() ** 2 * 0.08;
    let weather = change(world, random);
    for (let step = 0; step < 700; step++) {
      if (random.chance(0.02)) weather = change(world, random);
      if (random.chance(faults)) fault(world, random, judge);
      else if (losses && random.chance(0.02)) outcome.lost += loseDisk(world, random, judge);
      else proceed(world, random, judge, weather);
      judge.check(world);
    }
    heal(world, judge, random.pick(world.servers));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw new Error(`seed ${seed}: ${reason}`, { cause: error });
  }
  outcome.executed = judge.order.length;
  return outcome;
}

function count(outcome: Outcome, event: BroadcastEvent): void {
  if (event.kind === "established") outcome.epochs += 1;
  if (event.kind === "returning") outcome.returned += 1;
  if (event.kind === "pulled") outcome.pulls += 1;
  if (event.kind !== "synchronizing") return;
  if (event.how === "snapshot") outcome.snapshots += 1;
  if (event.how === "truncate") outcome.truncations += 1;
}

/** What lasts for a while. */
interface Weather {
  /** Whoever looks for a leader is told this one. */
  readonly favourite: ServerId;
  /** Nothing reaches it, and nobody knows: a leader of that kind is deposed unawares. */
  readonly deaf: ServerId | null;
  /** Its disk stalls. */
  readonly slow: ServerId | null;
}

function change(world: SmallWorld, random: Random): Weather {
  const favourite = random.pick(world.servers);
  const deaf = random.chance(0.3) ? random.pick(world.servers) : null;
  const slow = random.chance(0.2) ? random.pick(world.servers) : null;
  if (random.chance(0.3)) {
    for (const id of world.servers) if (id !== deaf && world.at(id).up) world.follow(id, favourite);
  }
  return { favourite, deaf, slow };
}

function fault(world: SmallWorld, random: Random, judge: Invariants): void {
  const id = random.pick(world.servers);
  const other = random.pick(world.servers);
  const { up, timers } = world.at(id);
  switch (random.integer(0, 3)) {
    case 0:
      if (up) {
        world.crash(id, random.integer(0, 5));
        judge.crashed(id);
      }
      break;
    case 1:
      if (id !== other) world.cut(id, other);
      break;
    case 2:
      if (timers.size > 0) world.fire(id, random.pick([...timers]));
      break;
    default:
      if (up && random.chance(0.3)) world.follow(id, other);
  }
}

/** A process dies with its disk, as long as a quorum has disks that forgot nothing. */
function loseDisk(world: SmallWorld, random: Random, judge: Invariants): number {
  const id = random.pick(world.servers);
  const kept = world.servers.filter((other) => other !== id && isMember(world, other)).length;
  if (!isMember(world, id) || kept < majority(world.servers.length)) return 0;
  if (random.chance(0.5)) world.vanish(id);
  else world.crash(id);
  world.loseDisk(id);
  judge.crashed(id);
  judge.lostDisk(id);
  return 1;
}

function isMember(world: SmallWorld, id: ServerId): boolean {
  const { disk, durable } = world.at(id);
  const { epoch, founder } = recover(disk.slice(0, durable));
  return epoch > NO_EPOCH || founder;
}

function proceed(world: SmallWorld, random: Random, judge: Invariants, weather: Weather): void {
  const { favourite, deaf, slow } = weather;
  const id = random.pick(world.servers);
  const one = world.at(id);
  switch (random.integer(0, 14)) {
    case 0:
      if (!one.up && random.chance(0.5)) world.start(id);
      break;
    case 1:
      for (const other of world.servers) if (other !== id && random.chance(0.5)) world.connect(id, other);
      break;
    case 2:
      for (const other of world.servers) {
        if (world.at(other).up && world.at(other).looking) world.follow(other, favourite);
      }
      break;
    case 3:
      for (let more = random.integer(1, 4); more > 0 && one.serving; more--) {
        judge.wrote(id, world.write(id, random.integer(1, 60)));
      }
      break;
    case 4:
      if (one.serving && random.chance(0.3)) {
        const sequence = random.uint32();
        judge.asked(world, id, sequence);
        world.sync(id, sequence);
      }
      break;
    case 5:
    case 6:
      if (id !== slow) world.persist(id, random.integer(1, 12));
      break;
    default: {
      const busy = world.busyRoads().filter(([, to]) => to !== deaf);
      if (busy.length > 0) world.arrive(...random.pick(busy), random.integer(1, 5));
    }
  }
  if (random.chance(0.7) && one.up && one.restless) world.turn(id);
}

function heal(world: SmallWorld, judge: Invariants, leader: ServerId): void {
  for (const id of world.servers) if (!world.at(id).up) world.start(id);
  for (const a of world.servers) for (const b of world.servers) if (a !== b) world.connect(a, b);
  world.settle();
  for (let attempt = 0; attempt < 5; attempt++) {
    // A leader that finds a newer promise starts over.
    if (world.servers.every((id) => world.at(id).serving && leads(world, id, leader))) break;
    world.follow(leader, leader);
    for (const id of world.servers) if (id !== leader) world.follow(id, leader);
    world.settle();
    judge.check(world);
  }
  for (const id of world.servers) {
    if (world.at(id).serving) judge.wrote(id, world.write(id));
    judge.asked(world, id, -1);
    if (world.at(id).serving) world.sync(id, -1);
  }
  world.settle();
  judge.check(world);
  judge.checkLevel(world);
  for (const id of world.servers) {
    const { outputs, service } = world.at(id);
    assert.ok(
      outputs.some((output) => output.kind === "synced" && output.sequence === -1),
      `server ${id} has no answer to its sync`,
    );
    assert.equal(service.open, 0, `server ${id} keeps a snapshot open`);
  }
}

function leads(world: SmallWorld, id: ServerId, leader: ServerId): boolean {
  const last = world.at(id).outputs.findLast(({ kind }) => kind === "serving");
  return last?.kind === "serving" && last.leader === leader;
}
