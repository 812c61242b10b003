/**
 * One world, lived through: first trouble, then peace.
 *
 * While there is trouble only safety is demanded, at every step. Then every fault is healed, every server
 * started, and within a stated time there must be one leader, all servers level with it, and every client
 * answered. A run that did nothing proves nothing, so it also tells how much happened.
 */

import type { ServerId } from "../../../core/identity.ts";
import type { Mutant } from "../../../core/mutant.ts";
import { Random } from "../../../core/random.ts";
import { after, type Duration, milliseconds, seconds } from "../../../core/time.ts";
import { type ElectionName, waitsOf } from "../../../election/catalog.ts";
import { createOracle } from "../../../oracle/catalog.ts";
import { KeyValueMachine } from "../../../testing/replica/key-value.ts";
import { Replica } from "../../../replica/replica.ts";
import type { ReplicaProtocol } from "../../../replica/replica-protocol.ts";
import { replicaCodec } from "../../replica-codec.ts";
import { type Observer, VirtualEnsemble } from "../ensemble.ts";
import type { LinkShape } from "../link.ts";
import { Nemesis } from "./nemesis.ts";
import { Violation } from "./sequence.ts";
import { Transcript } from "./transcript.ts";
import { Witness } from "./witness.ts";
import { Workload } from "./workload.ts";
import { drawWorld, mayNotEnd, oracleOptionsOf, type World } from "./world.ts";

export interface Outcome {
  readonly seed: number;
  readonly world: World;
  /** Null when every promise was kept. */
  readonly violation: string | null;
  /**
   * Why an election that need not end, such as the paper's taken to the letter, did not; that is its right
   * (see Divergences).
   */
  readonly stuck: string | null;
  readonly transcript: string;
  readonly fingerprint: string;
  readonly transactions: number;
  readonly answers: number;
  readonly epochs: number;
  readonly virtualTime: Duration;
}

/** `election` is the one that is drawn otherwise. */
export function liveThrough(
  seed: number,
  mutant: Mutant | null = null,
  election: ElectionName | null = null,
): Outcome {
  const world = drawWorld(seed, election);
  const witness = new Witness(world.servers, world.election, world.resign);
  const transcript = new Transcript();
  const ensemble = build(world, mutant, witness, transcript);
  const workload = new Workload(world, ensemble, witness.beliefs, new Random(seed, 1));
  const nemesis = new Nemesis(world, ensemble, transcript, new Random(seed, 2));
  let violation: string | null = null;
  let stuck: string | null = null;
  try {
    for (const server of world.servers) ensemble.start(server);
    workload.begin();
    nemesis.begin();
    ensemble.run(after(ensemble.now, world.trouble));
    nemesis.heal();
    const missing = awaitProgress(world, ensemble, witness, workload);
    if (missing !== null && mayNotEnd(world) === null) throw new Violation(missing);
    stuck = missing;
  } catch (error) {
    violation = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  return {
    seed,
    world,
    violation,
    stuck,
    transcript: transcript.toString(),
    fingerprint: ensemble.fingerprint,
    transactions: witness.sequence.length,
    answers: witness.beliefs.answers,
    epochs: witness.epochs,
    virtualTime: (ensemble.now - 0) as Duration,
  };
}

/**
 * How long an ensemble may take from the last fault to serving everybody again. Reconnecting takes up to a
 * second and noticing silence some heartbeats; then an election, the four phases, and bringing the last one
 * level. Two elections may fail before the third, because servers notice the same thing at different times.
 */
export function timeToRecover(world: World): Duration {
  const roundTripMs = 2 * (2 * 90 * 1.5 + 1);
  const messages = milliseconds(12 * (roundTripMs + world.diskMs));
  const once = 4 * world.heartbeatPeriod + 2 * waitsOf(world.election) + messages;
  return (seconds(20) + 3 * once) as Duration;
}

/** What is missing when time is up, or null. */
function awaitProgress(
  world: World,
  ensemble: VirtualEnsemble<ReplicaProtocol>,
  witness: Witness,
  workload: Workload,
): string | null {
  const deadline = after(ensemble.now, timeToRecover(world));
  const level = (): string | null => {
    const leaders = new Set<ServerId | null>();
    for (const server of world.servers) {
      const replica = ensemble.automaton(server) as Replica | null;
      if (replica === null) return `p${server} does not run`;
      if (replica.status.role === "looking") return `p${server} knows no leader`;
      leaders.add(replica.status.leader);
      if (replica.applied !== witness.sequence.last) return `p${server} is not level`;
    }
    if (leaders.size !== 1) return `there are ${leaders.size} leaders`;
    if (witness.sequence.last < witness.beliefs.acknowledged) return "an acknowledged write is nowhere";
    return workload.unanswered === 0 ? null : `${workload.unanswered} questions are unanswered`;
  };
  workload.finish();
  let missing = level();
  while (missing !== null && ensemble.now < deadline) {
    ensemble.run(after(ensemble.now, milliseconds(100)));
    missing = workload.finish() ? level() : "clients are not done";
  }
  if (missing === null) return null;
  return `no progress ${timeToRecover(world) / 1e6} s after the last fault healed: ${missing}`;
}

function build(
  world: World,
  mutant: Mutant | null,
  witness: Witness,
  transcript: Transcript,
): VirtualEnsemble<ReplicaProtocol> {
  const { servers } = world;
  return new VirtualEnsemble<ReplicaProtocol>({
    servers,
    seed: world.seed,
    codec: replicaCodec,
    network: { link: (from, to) => linkOf(world, from, to) },
    disk: () => ({ sync: milliseconds(world.diskMs) }),
    clock: (server) => ({ offset: seconds(server), drift: ((server % 3) - 1) * world.driftPpm }),
    observer: both(witness.observer, transcript.observer),
    create: (self) =>
      new Replica({
        self,
        servers,
        machine: witness.watch(self, new KeyValueMachine()),
        oracle: createOracle(world.oracle, oracleOptionsOf(world)),
        election: world.election,
        resign: world.resign,
        heartbeat: { period: world.heartbeatPeriod },
        broadcast: {
          historyBytes: world.historyBytes,
          windowBytes: world.windowBytes,
          proposeBytes: world.proposeBytes,
          checkpointTransactions: world.checkpointTransactions,
          joinTimeout: milliseconds(2000),
          synchronizationTimeout: milliseconds(3000),
        },
        mutant,
      }),
  });
}

function linkOf({ places, lanMs, jitter, servers }: World, from: ServerId, to: ServerId): LinkShape {
  const [x1, y1] = places[servers.indexOf(from)] ?? [0, 0];
  const [x2, y2] = places[servers.indexOf(to)] ?? [0, 0];
  return { delay: milliseconds(lanMs + Math.hypot(x1 - x2, y1 - y2)), jitter, distribution: "pareto" };
}

function both(
  first: Observer<ReplicaProtocol>,
  second: Observer<ReplicaProtocol>,
): Observer<ReplicaProtocol> {
  return {
    // The transcript first: what broke a promise should be its last line.
    output: (...happened) => {
      second.output?.(...happened);
      first.output?.(...happened);
    },
    input: (...happened) => {
      second.input?.(...happened);
      first.input?.(...happened);
    },
    effect: (...happened) => {
      second.effect?.(...happened);
      first.effect?.(...happened);
    },
    crashed: (...happened) => {
      second.crashed?.(...happened);
      first.crashed?.(...happened);
    },
    closed: (...happened) => second.closed?.(...happened),
  };
}
