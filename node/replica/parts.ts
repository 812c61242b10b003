/** What a replica is made of, put together from its options. */

import type { Application, BroadcastProtocol } from "../broadcast/broadcast.ts";
import type { BroadcastOptions } from "../broadcast/options.ts";
import { Broadcast } from "../broadcast/zab.ts";
import type { Automaton } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import type { StateMachine } from "../core/machine.ts";
import type { Mutant } from "../core/mutant.ts";
import type { Duration } from "../core/time.ts";
import { type ElectionName, elections } from "../election/catalog.ts";
import type { ElectionProtocol } from "../election/election.ts";
import { Heartbeat, type HeartbeatOptions } from "../oracle/heartbeat.ts";
import { type ExplainingJudge, judge } from "../oracle/judge.ts";
import { Meter } from "../oracle/meter.ts";
import type { Oracle } from "../oracle/oracle.ts";
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
  readonly election?: ElectionName | undefined;
  /** T of the election. */
  readonly electionTimeout?: Duration | undefined;
  /** Do not wait for servers known to be down; off is the paper to the letter. */
  readonly knownDown?: boolean | undefined;
  readonly heartbeat?: HeartbeatOptions | undefined;
  readonly broadcast?: Partial<BroadcastOptions> | undefined;
  readonly mutant?: Mutant | null | undefined;
}

export interface Parts {
  readonly heartbeat: Heartbeat;
  readonly vectors: Vectors;
  readonly meter: Meter;
  readonly judge: ExplainingJudge;
  readonly election: Automaton<ElectionProtocol>;
  readonly broadcast: Automaton<BroadcastProtocol>;
  /** The leader that the next election replaces: scores are those of the time after its crash. */
  lastLeader: ServerId | null;
}

export function assemble(options: ReplicaOptions, application: Application): Parts {
  const { self, servers, mutant = null } = options;
  const vectors = new Vectors(self, servers);
  const meter = new Meter();
  const broadcast = new Broadcast({ self, servers, application, options: options.broadcast ?? {}, mutant });
  const first = options.firstOracle ?? options.oracle;
  // Until a leader has been served, nobody's crash is being judged.
  const oracle: Oracle = {
    score: (view, round) => current().score(view, round),
    compare: (a, b) => current().compare(a, b),
    ready: (view) => current().ready(view),
    explain: (view, round) => current().explain(view, round),
  };
  const current = (): Oracle => (parts.lastLeader === null ? first : options.oracle);
  const explaining = judge(oracle, (now) => {
    vectors.observeOwnRate(meter.perSecond(now));
    return vectors.view({ lastZxid: broadcast.lastZxid, leader: parts.lastLeader });
  });
  const election = elections[options.election ?? "pole"].create({
    self,
    servers,
    judge: explaining,
    knownDown: options.knownDown ?? true,
    mutant,
    ...(options.electionTimeout === undefined ? {} : { timeout: options.electionTimeout }),
  });
  const heartbeat = new Heartbeat(options.heartbeat);
  const parts: Parts = {
    heartbeat,
    vectors,
    meter,
    judge: explaining,
    election,
    broadcast,
    lastLeader: null,
  };
  return parts;
}
