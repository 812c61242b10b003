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
import { after, type Duration, type Instant, milliseconds, seconds } from "../../core/time.ts";
import { epochOf, type Zxid } from "../../core/zxid.ts";
import { Violation } from "../../host/virtual/swarm/sequence.ts";
import { Book } from "./book.ts";
import { Coverage, type Reached } from "./coverage.ts";
import { Crowd } from "./crowd.ts";
import { ephemeralOf, Guest, HIDDEN, keysOf, type Surroundings } from "./guest.ts";
import { SecondHandle } from "./handle.ts";
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
  const book = new Book(world.servers, [...keysOf(world), HIDDEN, ...world.guests.map(ephemeralOf)]);
  // A connection that only reads is let go on, wherever its session is.
  let mayMove = world.features.handles.length === 0 || world.guests.some(({ onlyReads }) => !onlyReads);
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
      if (!mayMove && output.kind === "close" && output.reason === MOVED)
        throw new Violation(`p${server} closes who only reads: ${MOVED}`);
      if (output.kind === "event" && output.event.kind === "serving")
        say(`p${server} serves under p${output.event.leader}, epoch ${output.event.epoch}`);
    },
  });
  const say = (what: string): void => {
    story.push(`${(stage.ensemble.now / 1e6).toFixed(6)} ${what}`);
  };
  const guests = guestsOf(world, { stage, book, leases });
  const secondHolds = holdsOf(world, guests, { stage, book, leases });
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
    for (const client of [...guests, ...secondHolds]) client.begin();
    const strangers = bringOthers(world, stage, coverage);
    nemesis.begin();
    await endure(world, stage, leases, guests);
    mayMove = true;
    for (const other of [...secondHolds, ...strangers]) other.leave();
    nemesis.heal();
    await findPeace(world, stage, book, leases, guests);
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
    reached: coverage.sum(world, stage, guests, leases, secondHolds),
  };
}

function guestsOf(world: ServerWorld, around: Surroundings): Guest[] {
  return world.guests.map((plan) => {
    // Its own, so that one that is left out changes nothing for the others.
    const random = new Random(world.seed, GUEST_STREAM + Number(plan.name.slice(1)));
    return new Guest(plan, world, around, random);
  });
}

function holdsOf(world: ServerWorld, guests: readonly Guest[], around: Surroundings): SecondHandle[] {
  return world.features.handles.flatMap((plan, index) => {
    const guest = guests.find(({ plan: { name } }) => name === plan.guest);
    const random = new Random(world.seed, HANDLE_STREAM + index);
    return guest === undefined ? [] : [new SecondHandle(plan, guest, world, around, random)];
  });
}

/** Whoever comes besides; the strangers among them, who stay. */
function bringOthers(
  { features, strangers }: ServerWorld,
  stage: ServerStage,
  coverage: Coverage,
): Stranger[] {
  if (features.crowd !== null) new Crowd(features.crowd, stage).begin();
  return strangers.map((plan) => {
    coverage.note(`stranger: ${plan.kind}`);
    const stranger = new Stranger(plan, stage, plan.server);
    stranger.begin();
    return stranger;
  });
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
  leases: Leases,
  guests: readonly Guest[],
): Promise<void> {
  const healed = stage.ensemble.now;
  const before = book.sequence.last;
  const deadline = after(healed, TIME_TO_RECOVER);
  let missing: string | null = "time";
  while (missing !== null && stage.ensemble.now < deadline) {
    await stage.pass(milliseconds(100));
    missing = lacks(world, stage, book, guests, before);
    if (world.features.crowd !== null) missing = whoLingers(world, stage, leases, guests, healed) ?? missing;
  }
  if (missing === null) return;
  throw new Violation(`no peace ${TIME_TO_RECOVER / 1e6} s after the last fault healed: ${missing}`);
}

/** `before`: what was last when the peace began. */
function lacks(
  world: ServerWorld,
  stage: ServerStage,
  book: Book,
  guests: readonly Guest[],
  before: Zxid,
): string | null {
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
  const { last } = book.sequence;
  for (const leader of leaders) {
    // What it has not written it cannot have dated.
    if (leader === null || last === before || stage.server(leader)?.status.epoch !== epochOf(last)) continue;
    // Drift and where clocks began are of no weight here: some were set by an hour.
    const behind = (stage.setAhead(leader) + stage.ensemble.now - SLACK) / 1000 + EPOCH_MS - book.time;
    if (behind > 0) return `the time of day is ${behind} ms behind p${leader}'s clock`;
  }
  if (last < book.acknowledged) return "an acknowledged write is nowhere";
  const [one] = waiting;
  return one === undefined ? null : `${one.plan.name} has ${one.unanswered} questions unanswered`;
}

/** Sessions that no client holds any more end in time, once all servers serve. */
function whoLingers(
  { servers }: ServerWorld,
  stage: ServerStage,
  leases: Leases,
  guests: readonly Guest[],
  healed: Instant,
): string | null {
  const leader = servers.find((id) => stage.server(id)?.status.role === "leading");
  const tree = leader === undefined ? null : stage.tree(leader);
  if (tree === null) return null;
  const held = new Set(guests.map(({ sessionId }) => sessionId));
  let lingering = 0;
  for (const { id, timeoutMs, server } of tree.state.sessions.all()) {
    if (held.has(id)) continue;
    lingering += 1;
    leases.lingers(id, timeoutMs, server, after(healed, AFTER_PEACE), stage.ensemble.now);
  }
  return lingering === 0 ? null : `${lingering} sessions linger`;
}

const MOVED = "its client is at another server now";
/** What was said before the peace may still be under way, and questions of those who leave. */
const AFTER_PEACE = seconds(1);
/** When virtual time begins. */
const EPOCH_MS = 1_767_225_600_000;
const SLACK = seconds(90);
const HANDLE_STREAM = 300;
const LOOK_EVERY = milliseconds(500);
const GUEST_STREAM = 100;
