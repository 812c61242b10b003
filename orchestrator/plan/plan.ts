/**
 * A trial as a value: everything that decides what happens, and nothing that happens.
 *
 * Whatever runs trials (real processes over an emulated WAN, or virtual time) takes a plan and gives a
 * recording back. Equal plans are the same experiment; where chance plays a part, the seed is part of the
 * plan.
 */

import type { MemberId, ServerId } from "#node/core/identity.ts";
import { type Duration, milliseconds, seconds } from "#node/core/time.ts";
import type { ElectionChoice } from "#node/election/catalog.ts";
import { type GroupElectionName, groupElections } from "#node/election/group-catalog.ts";
import type { GroupElectionEntry } from "#node/election/group-election.ts";
import type { Value, Values } from "#node/election/options.ts";
import type { OracleName } from "#node/oracle/catalog.ts";
import type { OracleTexts } from "#node/oracle/options.ts";
import type { Fault, TimedFault } from "../fault/fault.ts";
import { type SystemName, SYSTEMS } from "../system/catalog.ts";
import type { Topology } from "../topology/topology.ts";
import type { Workload } from "../workload/workload.ts";

export const RUNTIMES = ["docker", "netns", "sim"] as const;
/** Containers, network namespaces, or virtual time. */
export type Runtime = (typeof RUNTIMES)[number];

/** `preference`: best first, for the oracle of that name. `module`: the file of one's own oracle. */
export type OraclePlan =
  | {
      readonly name: OracleName;
      readonly preference: readonly ServerId[];
      /** What else it is told, as servers take it; nothing when it is not there. */
      readonly options?: OracleTexts | undefined;
      readonly module: null;
    }
  | { readonly name: string; readonly preference: readonly ServerId[]; readonly module: string };

/** All since the load began, except `drain`. */
export interface Phases {
  /** Requests before this are sent, but not counted: connections, compilers and estimates warm up. */
  readonly warmUp: Duration;
  /** The load ends. */
  readonly duration: Duration;
  /**
   * After the last fault that hurts, steady state is measured again from this much later on (the paper: 10
   * s).
   */
  readonly settle: Duration;
  /** How long late answers are waited for. */
  readonly drain: Duration;
}

/** What the service holds before the load begins, and who was not there when it was written. */
export interface InitialState {
  readonly bytes: number;
  /**
   * They come back by a fault, `restart crashed`, and lack all of it. From the first leader they stay cut
   * off: it would bring them level before it dies.
   */
  readonly absent: readonly ServerId[];
  /** How much history servers keep in memory; who lacks more than that needs a snapshot. */
  readonly historyBytes: number;
}

/** A replicated service that clients write to. */
export interface ServiceSubject {
  readonly kind: "service";
  readonly system: SystemName;
  readonly election: ElectionChoice;
  readonly oracle: OraclePlan;
  /**
   * When a leader gives its place to a better one of its own accord, as servers take it; not there: never.
   */
  readonly resign?: string | undefined;
  /** The period of the servers' heartbeats. */
  readonly heartbeat: Duration;
  /** Who leads when the load begins. */
  readonly firstLeader: ServerId;
  readonly workload: Workload;
  /** Null: nothing, and everybody is there. */
  readonly state: InitialState | null;
}

/** An election by itself: processes that elect, and nobody who writes. */
export interface ElectionSubject {
  readonly kind: "election";
  /** How its members reach each other. */
  readonly medium: "group";
  readonly election: GroupElectionChoice;
  /** By ascending number. */
  readonly members: readonly PlacedMember[];
  /** They begin when the trial does; the others when a fault, `restart crashed`, lets them. */
  readonly initiators: readonly MemberId[];
  /** Datagrams that may wait to be read at each listener; as many as the system likes when not given. */
  readonly buffer?: number;
}

export interface PlacedMember {
  readonly member: MemberId;
  readonly site: string;
  /** What it is worth as a leader, of 1,000, where somebody has judged. */
  readonly worth?: number;
}

/** An election of the group's catalog, with every option said. */
export interface GroupElectionChoice {
  readonly name: GroupElectionName;
  readonly options: Values;
}

/** What all trials have, whatever is tried. */
interface Trial {
  readonly topology: Topology;
  readonly runtime: Runtime;
  readonly faults: readonly TimedFault[];
  readonly seed: number;
}

export interface ServicePlan extends Trial {
  readonly subject: ServiceSubject;
  readonly phases: Phases;
}

export interface ElectionPlan extends Trial {
  readonly subject: ElectionSubject;
  readonly duration: Duration;
}

export type TrialPlan = ServicePlan | ElectionPlan;

export const isOfService = (plan: TrialPlan): plan is ServicePlan => plan.subject.kind === "service";

export const groupEntryOf = (name: GroupElectionName): GroupElectionEntry => groupElections[name];

/** Those of this member. */
export const optionsOf = ({ election }: ElectionSubject, { worth }: PlacedMember): Values =>
  worth === undefined ? election.options : { ...election.options, worth };

/** Whatever `given` has of the election's options; null and undefined are its default. */
export function chooseGroup(
  name: GroupElectionName,
  given: (option: string) => Value | null | undefined,
): GroupElectionChoice {
  const options = Object.entries(groupEntryOf(name).options).map(([option, { default: usual }]) => [
    option,
    given(option) ?? usual,
  ]);
  return { name, options: Object.fromEntries(options) as Values };
}

/** The same trial of a service that differs in this. */
export const withService = (plan: ServicePlan, change: Partial<ServiceSubject>): ServicePlan => ({
  ...plan,
  subject: { ...plan.subject, ...change },
});

export const DEFAULT_PHASES: Phases = {
  warmUp: seconds(5),
  duration: seconds(120),
  settle: seconds(10),
  drain: seconds(5),
};

/** Shorter phases; the network stays what it is. */
export const QUICK_PHASES: Phases = {
  warmUp: seconds(2),
  duration: seconds(20),
  settle: seconds(2),
  drain: seconds(2),
};

/**
 * The paper's default is 1 s; 100 ms learn round-trip times ten times sooner and cost 50 small packets a
 * second.
 */
export const DEFAULT_HEARTBEAT = milliseconds(100);
export const DEFAULT_PAYLOAD_BYTES = 1024;
export const DEFAULT_RATE = 1000;

/** When the first fault comes that hurts, or the end of the load when none does. */
export const faultAt = ({ faults, phases }: ServicePlan): Duration =>
  faults.find(hurts)?.at ?? phases.duration;

export const hurts = ({ fault }: TimedFault): boolean => !HEALING.has(fault.kind);

/** From when on the service is in its second steady state. */
export function settledAt({ faults, phases }: ServicePlan): Duration {
  const last = faults.reduce((latest, { at }) => Math.max(latest, at), 0);
  return Math.min(last + phases.settle, phases.duration) as Duration;
}

const HEALING: ReadonlySet<Fault["kind"]> = new Set(["restart", "resume", "heal", "disk-mended"]);

/** What is compared, in a word: an oracle, another system's own election, or an election by itself. */
export function armOf({ subject }: TrialPlan): string {
  if (subject.kind === "election") return subject.election.name;
  const { system, oracle } = subject;
  return SYSTEMS[system].elects === "by oracle" ? oracle.name : system;
}
