/**
 * What a trial leaves behind: what clients saw, what replicas told about themselves, and what was done to
 * them.
 *
 * All times are microseconds since the load began, on one clock; what happened before is negative. Measures,
 * checks, charts and reports are functions of a recording, so each of them can be made again, or made better,
 * long after the run.
 */

import type { Facts } from "#node/telemetry/facts.ts";
import type { Certificate } from "../testbed/network/certificate.ts";
import type { ElectionPlan, ServicePlan, TrialPlan } from "../plan/plan.ts";
import { isOfService } from "../plan/plan.ts";
import type { RecordedEvent } from "../system/system.ts";
import type { FinalState } from "../workload/final-state.ts";
import type { WriteOperation } from "../workload/operation.ts";
import type { Client } from "../workload/workload.ts";

interface Recorded<Plan extends TrialPlan> {
  readonly plan: Plan;
  readonly marks: readonly Mark[];
  readonly certificates: Certificates;
  /** What the machine was like just before; null in virtual time. */
  readonly machine: MeasuredMachine | null;
  readonly resources: readonly ResourceUse[];
  /** What should have been measured and was not, and why. */
  readonly unmeasured: Unmeasured;
  readonly environment: Environment;
  /** The run was stopped before its end: what is here is true, but not all. */
  readonly interrupted: boolean;
}

export interface ServiceRecording extends Recorded<ServicePlan> {
  readonly clients: readonly Client[];
  /** In order of completion. */
  readonly operations: readonly WriteOperation[];
  readonly events: readonly RecordedEvent[];
  /** Cuts, pauses and the like still held when the load had drained, and were ended before the last look. */
  readonly lifted: boolean;
  /** Read back from every living server after the load had drained. */
  readonly finals: readonly FinalState[];
}

export interface ElectionRecording extends Recorded<ElectionPlan> {
  /** In order of time; of one instant in the order in which they happened. */
  readonly events: readonly MemberEvent[];
  readonly counts: MessageCounts;
}

export type Recording = ServiceRecording | ElectionRecording;

export const isServiceRecording = (recording: Recording): recording is ServiceRecording =>
  isOfService(recording.plan);

/** What a member of a group did, heard or came to believe, as it tells it in a line. */
export type MemberEvent = { readonly at: number; readonly member: number } & (
  | { readonly event: "begun" | "ended" }
  /** It sent a message of this kind to whoever listens. */
  | { readonly event: "announced"; readonly kind: string }
  /** Whom it takes for the leader from now on. */
  | { readonly event: "elected"; readonly leader: number; readonly round: number }
  | ({ readonly event: "observed" } & Facts)
);

/** What the hosts counted, all of them together. */
export interface MessageCounts {
  /** By kind of message. */
  readonly sent: Readonly<Record<string, number>>;
  /** One that reaches nine members counts nine times. */
  readonly given: Readonly<Record<string, number>>;
  /** Of those, what the network lost, for all listeners at once or for each by itself; null where unknown. */
  readonly lost: { readonly shared: number; readonly independent: number } | null;
  /** And what found a listener's buffer full; null where nobody counts it. */
  readonly overflown: number | null;
  /** Live: packets of the members that the emulated network carried, and how many over 1 and 2 ms late. */
  readonly carried: Carried | null;
}

interface Carried {
  readonly packets: number;
  readonly late: number;
  /** Recordings of earlier versions do not tell. */
  readonly veryLate?: number;
}

/** A fault was carried out. */
export interface Mark {
  readonly at: number;
  /** As `printFault` says it. */
  readonly fault: string;
  /** Whom it hit. */
  readonly servers: readonly number[];
  /** Somebody who looked on did it. */
  readonly byHand?: boolean;
}

export interface Unmeasured {
  readonly loaded?: string;
  readonly resources?: string;
  readonly finals?: string;
}

/** How near the network came to its topology; null where that was not measured. */
export interface Certificates {
  /** Just before the load. */
  readonly idle: Certificate | null;
  /** While it lasted, before the first fault; null where there was no time for it. */
  readonly loaded: Certificate | null;
}

export interface MeasuredMachine {
  /** Until what was appended to a log is safe. */
  readonly syncMs: number;
  /** From the signal that kills a process of a server's size until its connections are closed. */
  readonly exitMs: number;
}

export interface ResourceUse {
  /** `p3`, `clients`, `orchestrator`, `network`; `m3` is a member of a group. */
  readonly who: string;
  /** Of the network: what it carried from server to server. */
  readonly packets?: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  /** Of a member: since when `cpuSeconds` counts. */
  readonly overSeconds?: number;
  /** Of a member, in the end: what it shares with others counts for each by its part. */
  readonly proportionalBytes?: number;
}

/** Whatever may explain a difference between two runs of one plan. */
export interface Environment {
  readonly command: string;
  /** Wall clock, ISO 8601. */
  readonly startedAt: string;
  readonly version: string;
  /** With `+` when its sources had been changed. */
  readonly commit: string;
  /** The code that made it, committed or not: see `sources.ts`. */
  readonly sources: string;
  readonly node: string;
  readonly kernel: string;
  readonly machine: string;
  /** What emulated the network, such as `netem` or `virtual`. */
  readonly engine: string;
}
