/**
 * One world of whole servers, lived through: first trouble, then peace.
 *
 * While there is trouble only safety is demanded, at every step. Then every fault is healed, every server
 * started, and within a stated time there must be one leader, all servers level with it, every client with a
 * session in which it has written, synced and read, and every ephemeral znode of a session that lives.
 */

import type { ServerId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { Random } from "../../core/random.ts";
import { after, type Duration, milliseconds, seconds } from "../../core/time.ts";
import { Violation } from "../../host/virtual/swarm/sequence.ts";
import { Book } from "./book.ts";
import { Coverage, type Reached } from "./coverage.ts";
import { ephemeralOf, Guest, keysOf } from "./guest.ts";
import { Leases } from "./leases.ts";
import { ServerNemesis } from "./nemesis.ts";
import { Remembrance } from "./remembrance.ts";
import { ServerStage } from "./stage.ts";
import { demandBounds, Stranger } from "./stranger.ts";
import { drawServerWorld, type ServerWorld } from "./world.ts";

export interface ServerOutcome {
  readonly seed: number;
  /** Null when every promise was kept. */
  readonly violation: string | null;
  readonly fingerprint: string;
  readonly transactions: number;
  readonly answers: number;
  readonly virtualTime: Duration;
  readonly story: readonly string[];
  /** How often what. */
  readonly reached: Reached;
}

export const liveAmongServers = (seed: number, mutant: Mutant | null = null): Promise<ServerOutcome> =>
  liveThroughWorld(drawServerWorld(seed), mutant);

export async function liveThroughWorld(
  world: ServerWorld,
  mutant: Mutant | null = null,
): Promise<ServerOutcome> {
  const story: string[] = [];
  const book = new Book(world.servers, [...keysOf(world), ...world.guests.map(ephemeralOf)]);
  const coverage = new Coverage();
  const leases = new Leases();
  const stage = new ServerStage(world, book, new Remembrance(), mutant, {
    input: (...happened) => {
      leases.observer.input?.(...happened);
      coverage.observer.input?.(...happened);
    },
    effect: (...happened) => leases.observer.effect?.(...happened),
    crashed: (server, reason, time) => {
      say(`p${server} is gone: ${reason}`);
      coverage.observer.crashed?.(server, reason, time);
    },
    output: (server, output, time) => {
      leases.observer.output?.(server, output, time);
      coverage.observer.output?.(server, output, time);
      if (output.kind === "event" && output.event.kind === "serving")
        say(`p${server} serves under p${output.event.leader}, epoch ${output.event.epoch}`);
    },
  });
  const say = (what: string): void => {
    story.push(`${(stage.ensemble.now / 1e6).toFixed(6)} ${what}`);
  };
  const guests = world.guests.map((plan) => {
    // Its own, so that one that is left out changes nothing for the others.
    const random = new Random(world.seed, GUEST_STREAM + Number(plan.name.slice(1)));
    return new Guest(plan, world, { stage, book, leases }, random);
  });
  const nemesis = new ServerNemesis(
    world,
    stage,
    (what, fault) => {
      say(what);
      if (fault !== undefined) coverage.note(`fault: ${fault.kind}`);
    },
    leases,
  );
  book.now = () => stage.ensemble.now;
  let violation: string | null = null;
  try {
    for (const server of world.servers) stage.start(server);
    for (const guest of guests) guest.begin();
    for (const plan of world.strangers) {
      coverage.note(`stranger: ${plan.kind}`);
      new Stranger(plan, stage, plan.server).begin();
    }
    nemesis.begin();
    await endure(world, stage, leases, guests);
    nemesis.heal();
    await findPeace(world, stage, book, guests);
  } catch (error) {
    violation = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  return {
    seed: world.seed,
    violation,
    fingerprint: stage.ensemble.fingerprint,
    transactions: book.sequence.length,
    answers: guests.reduce((sum, { counts }) => sum + counts.answers, 0),
    virtualTime: (stage.ensemble.now - 0) as Duration,
    story,
    reached: coverage.sum(world, stage, guests, leases),
  };
}

/** The time of trouble, with a look now and then at who is kept, and how much for whom. */
async function endure(
  world: ServerWorld,
  stage: ServerStage,
  leases: Leases,
  guests: readonly Guest[],
): Promise<void> {
  const end = after(stage.ensemble.now, world.trouble);
  while (stage.ensemble.now < end) {
    await stage.pass(Math.min(LOOK_EVERY, end - stage.ensemble.now) as Duration);
    if (world.strangers.length > 0) for (const server of world.servers) demandBounds(stage, server);
    for (const { server, plan } of guests) {
      const wait = server === null ? null : stage.servesAlone(server);
      if (server !== null && wait !== null) leases.keeps(plan.name, server, wait, stage.ensemble.now);
    }
  }
}

/**
 * Two elections may fail before the third, a client waits for its silent server, and whoever has a new disk
 * or a small window is sent a snapshot.
 */
export const TIME_TO_RECOVER = seconds(40);

async function findPeace(
  world: ServerWorld,
  stage: ServerStage,
  book: Book,
  guests: readonly Guest[],
): Promise<void> {
  const deadline = after(stage.ensemble.now, TIME_TO_RECOVER);
  let missing: string | null = "time";
  while (missing !== null && stage.ensemble.now < deadline) {
    await stage.pass(milliseconds(100));
    missing = lacks(world, stage, book, guests);
  }
  if (missing === null) return;
  throw new Violation(`no peace ${TIME_TO_RECOVER / 1e6} s after the last fault healed: ${missing}`);
}

function lacks(world: ServerWorld, stage: ServerStage, book: Book, guests: readonly Guest[]): string | null {
  const waiting = guests.filter((guest) => !guest.finish());
  const leaders = new Set<ServerId | null>();
  for (const id of world.servers) {
    const server = stage.server(id);
    if (server === null) return `p${id} does not run`;
    if (server.status.role === "looking") return `p${id} knows no leader`;
    leaders.add(server.status.leader);
    if (server.replica.applied !== book.sequence.last) return `p${id} is not level`;
  }
  if (leaders.size !== 1) return `there are ${leaders.size} leaders`;
  if (book.sequence.last < book.acknowledged) return "an acknowledged write is nowhere";
  const [one] = waiting;
  return one === undefined ? null : `${one.plan.name} has ${one.unanswered} questions unanswered`;
}

const LOOK_EVERY = milliseconds(500);
const GUEST_STREAM = 100;
