/**
 * Small worlds under arbitrary faults: whatever order messages, disks, crashes and timers come in, the
 * invariants hold at every step, and once the faults stop one leader suffices to bring everyone level.
 */

import assert from "node:assert/strict";
import test from "node:test";
import type { ServerId } from "../core/identity.ts";
import { MUTANTS, type Mutant } from "../core/mutant.ts";
import { Random } from "../core/random.ts";
import { Invariants } from "./invariants.ts";
import { SmallWorld } from "./small-world.ts";

/** So little is kept in memory, and so little may be under way, that snapshots and stalls are everyday. */
const cramped = {
  historyBytes: 500,
  windowBytes: 400,
  proposeBytes: 200,
  chunksUnderWay: 2,
  checkpointTransactions: 7,
} as const;

interface Outcome {
  readonly executed: number;
  readonly epochs: number;
  readonly pulls: number;
  readonly snapshots: number;
  readonly truncations: number;
}

test("no world of arbitrary faults breaks an invariant", () => {
  const sum = { executed: 0, epochs: 0, pulls: 0, snapshots: 0, truncations: 0 };
  for (let seed = 1; seed <= Number(process.env["SEEDS"] ?? 300); seed++) {
    const outcome = live(seed, null);
    for (const key of Object.keys(sum) as (keyof Outcome)[]) sum[key] += outcome[key];
  }
  // A world in which little happens proves little.
  assert.ok(sum.executed > 3000 && sum.epochs > 1000, JSON.stringify(sum));
  assert.ok(sum.pulls > 100 && sum.snapshots > 100 && sum.truncations > 100, JSON.stringify(sum));
});

const ours: readonly Mutant[] = [
  "acknowledge-before-durable",
  "commit-without-quorum",
  "commit-own-without-disk",
  "no-pull",
  "pull-by-zxid-alone",
  "forget-promise",
  "promise-before-durable",
  "forget-epoch",
  "skip-truncate",
  "stale-leader-serves",
  "sync-without-quorum",
  "snapshot-without-last",
  "reorder-commits",
  "deliver-before-commit",
  "reuse-epoch",
  "serve-before-synchronized",
];

for (const mutant of process.env["MUTANTS"] === undefined ? [] : ours) {
  test(`the mistake is found: ${MUTANTS[mutant]}`, () => {
    let found: unknown = null;
    let seed = 0;
    while (found === null && seed < 5000) {
      seed += 1;
      try {
        live(seed, mutant);
      } catch (error) {
        found = error;
      }
    }
    assert.ok(found !== null, `${mutant} survived`);
    console.log(mutant, seed, String(found));
  });
}

function live(seed: number, mutant: Mutant | null): Outcome {
  const random = new Random(seed);
  const size = random.pick([1, 2, 3, 3, 3, 4, 5, 5]);
  const outcome = { executed: 0, epochs: 0, pulls: 0, snapshots: 0, truncations: 0 };
  const judge = new Invariants();
  const story: string[] = [];
  const world: SmallWorld = new SmallWorld({
    servers: size,
    options: cramped,
    mutant,
    perChunk: random.integer(1, 4),
    turns: random.chance(0.3),
    watch: (event) => {
      if (process.env["STORY"]) story.push(JSON.stringify(event));
      judge.hear(world, event);
      if (event.kind !== "output" || event.output.kind !== "event") return;
      const { event: happened } = event.output;
      if (happened.kind === "established") outcome.epochs += 1;
      if (happened.kind === "pulled") outcome.pulls += 1;
      if (happened.kind === "synchronizing" && happened.how === "snapshot") outcome.snapshots += 1;
      if (happened.kind === "synchronizing" && happened.how === "truncate") outcome.truncations += 1;
    },
  });
  try {
    world.startAll();
    const faults = random.unit() ** 2 * 0.08;
    let weather = change(world, random);
    for (let step = 0; step < 600; step++) {
      if (random.chance(0.02)) weather = change(world, random);
      if (process.env["STORY"]) story.push(`step ${step}`);
      if (random.chance(faults)) fault(world, random, judge);
      else proceed(world, random, judge, weather);
      judge.check(world);
    }
    heal(world, judge, random.pick(world.servers));
  } catch (error) {
    for (const line of story) console.log(line);
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  outcome.executed = judge.order.length;
  return outcome;
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

function proceed(world: SmallWorld, random: Random, judge: Invariants, weather: Weather): void {
  const { favourite, deaf, slow } = weather;
  const id = random.pick(world.servers);
  const one = world.at(id);
  switch (random.integer(0, 9)) {
    case 0:
      if (!one.up && random.chance(0.3)) world.start(id);
      break;
    case 1:
      for (const other of world.servers) if (other !== id && random.chance(0.5)) world.connect(id, other);
      break;
    case 2:
      if (one.up && isLooking(world, id)) world.follow(id, favourite);
      break;
    case 3:
      if (one.serving) judge.wrote(id, world.write(id, random.integer(1, 60)));
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
      if (busy.length > 0) world.arrive(...random.pick(busy), random.integer(1, 3));
    }
  }
  if (random.chance(0.7) && one.up && one.restless) world.turn(id);
}

function isLooking(world: SmallWorld, id: ServerId): boolean {
  const last = world.at(id).outputs.findLast(({ kind }) => kind !== "synced" && kind !== "event");
  const following = world.at(id).outputs.some(({ kind }) => kind === "event");
  return last?.kind === "lost" || (last === undefined && !following);
}

function heal(world: SmallWorld, judge: Invariants, leader: ServerId): void {
  for (const id of world.servers) if (!world.at(id).up) world.start(id);
  for (const a of world.servers) for (const b of world.servers) if (a !== b) world.connect(a, b);
  world.settle();
  for (let attempt = 0; attempt < 3; attempt++) {
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
