/** What a replica is made of, put together from its options. */

import type { Application, BroadcastProtocol } from "../broadcast/broadcast.ts";
import type { BroadcastOptions } from "../broadcast/options.ts";
import { Broadcast } from "../broadcast/zab.ts";
import type { Automaton } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import type { StateMachine } from "../core/machine.ts";
import type { Mutant } from "../core/mutant.ts";
import { after, between, type Duration, type Instant, milliseconds, seconds } from "../core/time.ts";
import { type BallotProtocol, ByBallot } from "../election/ballot.ts";
import { DEFAULT_ELECTION, type ElectionChoice, entryOf, valuesOf, waitsOf } from "../election/catalog.ts";
import { Demand } from "../oracle/demand.ts";
import { Heartbeat, type HeartbeatOptions } from "../oracle/heartbeat.ts";
import { judge } from "../oracle/judge.ts";
import { Resignation, type ResignTerms } from "../oracle/resignation.ts";
import { Meter } from "../oracle/meter.ts";
import type { Oracle, View } from "../oracle/oracle.ts";
import type { Report } from "../oracle/report.ts";
import { Vectors } from "../oracle/vectors.ts";

export interface ReplicaOptions {
  readonly self: ServerId;
  /** The whole ensemble in ascending order, this server included. */
  readonly servers: readonly ServerId[];
  /** The service that is replicated. */
  readonly machine: StateMachine;
  readonly oracle: Oracle;
  /** Judges the first election instead of `oracle`, where a run must begin with a given leader. */
  readonly firstOracle?: Oracle | undefined;
  /** When a leader gives its place to a better one of its own accord; null: never. */
  readonly resign?: ResignTerms | null | undefined;
  readonly election?: ElectionChoice | undefined;
  readonly heartbeat?: HeartbeatOptions | undefined;
  readonly broadcast?: Partial<BroadcastOptions> | undefined;
  readonly mutant?: Mutant | null | undefined;
}

export interface Parts {
  readonly heartbeat: Heartbeat;
  readonly vectors: Vectors;
  readonly meter: Meter;
  readonly demand: Demand;
  readonly election: Automaton<BallotProtocol>;
  /** Which election it is: what it observed is told under this name. */
  readonly electionName: string;
  /** How long it waits in a round; longer where others are farther away. */
  readonly electionWait: () => Duration;
  readonly broadcast: Automaton<BroadcastProtocol>;
  /** The leader that the next election replaces: scores are those of the time after its crash. */
  lastLeader: ServerId | null;
  /** What this server tells of itself. */
  readonly report: (now: Instant) => Report;
  readonly resignation: Resignation | null;
  /** What it sees with its leader in it. */
  readonly lookWithLeader: (now: Instant) => View;
}

/** The state that is replicated. */
interface Stateful extends Application {
  readonly stateBytes: number;
}

export function assemble(options: ReplicaOptions, application: Stateful): Parts {
  const { self, servers, mutant = null } = options;
  const vectors = new Vectors(self, servers);
  const meter = new Meter();
  const demand = new Demand();
  let begun: Instant | null = null;
  const farthest = (): Duration => vectors.farthest;
  const broadcast = new Broadcast({
    self,
    servers,
    application,
    options: options.broadcast ?? {},
    farthest,
    mutant,
  });
  const first = options.firstOracle ?? options.oracle;
  // Until a leader has been served, nobody's crash is being judged.
  const oracle: Oracle = {
    score: (view, round) => current().score(view, round),
    compare: (a, b) => current().compare(a, b),
    ready: (view) => current().ready(view),
    explain: (view, round) => current().explain(view, round),
  };
  const current = (): Oracle => (parts.lastLeader === null ? first : options.oracle);
  const report = (now: Instant): Report => ({
    roundTrips: vectors.roundTrips,
    lastZxid: broadcast.lastZxid,
    base: broadcast.base,
    stateBytes: application.stateBytes,
    transactionBytes: broadcast.transactionBytes,
    offer: demand.offer(now),
    writeLatency: demand.writeLatency(now),
    awake: between((begun ??= now), now),
  });
  const look = (now: Instant, leaderIn = false): View => {
    vectors.observeOwnRate(meter.perSecond(now));
    vectors.observeOwnReport(report(now));
    return vectors.view({ lastZxid: broadcast.lastZxid, leader: parts.lastLeader, leaderIn });
  };
  const choice = options.election ?? { name: DEFAULT_ELECTION };
  const entry = entryOf(choice.name);
  // Until a leader has been served, who is not connected yet may still come.
  const reach = (server: ServerId): Duration | null =>
    vectors.reach(server) ?? (parts.lastLeader === null ? DIALING : null);
  const judging = judge(oracle, (now) => look(now));
  let asked: Instant | null = null;
  const isOverdue = (now: Instant): boolean => now >= after((asked ??= now), STATED);
  const ready = (now: Instant): boolean =>
    judging.ready(now) || (options.firstOracle !== undefined && isOverdue(now));
  const stated = (now: Instant): ServerId | null =>
    parts.lastLeader !== null || isOverdue(now) ? null : (options.firstOracle?.first ?? null);
  const seat = { self, servers, judge: { ...judging, ready, stated }, reach, mutant };
  const election = new ByBallot(choice.name, entry.codec, entry.create(seat, valuesOf(choice)));
  const heartbeat = new Heartbeat(options.heartbeat);
  const parts: Parts = {
    heartbeat,
    vectors,
    meter,
    demand,
    election,
    electionName: choice.name,
    electionWait: () => Math.max(waitsOf(choice), vectors.farthest) as Duration,
    broadcast,
    lastLeader: null,
    report,
    resignation: options.resign ? new Resignation(options.oracle, options.resign, mutant) : null,
    lookWithLeader: (now) => look(now, true),
  };
  return parts;
}

/** To be connected to a server, and to be answered by it, takes no longer nearly everywhere. */
const DIALING = milliseconds(500);
/** A first leader that was stated is waited for so long. */
const STATED = seconds(5);
