/**
 * What the tests of the contract of `service` need of a host, and the member they look through: it writes
 * down every input, and a request tells it which effects to return.
 */

import type { MemberId } from "../../core/identity.ts";
import type { ServiceEffect, ServiceInput, ServiceMember } from "../../core/service.ts";
import type { Duration } from "../../core/time.ts";
import type { ServiceCounts } from "../../host/service-counts.ts";
import type { Auth } from "../../wire/client/access.ts";
import type { Coordination } from "../../wire/client/coordination.ts";
import { Scribe } from "./scribe.ts";

/** A host with probes as members, and a service that others use as well. Times are virtual, or real. */
export interface ServiceUnderTest {
  /** Begins a life of this member, which shows this; resolves when it has begun. */
  start(member: MemberId, auth?: readonly Auth[]): Promise<void>;
  /** Ends it in silence. */
  kill(member: MemberId): Promise<void>;
  request(member: MemberId, effects: ServiceRequest): void;
  /** Its connection ends, which its machine notices; another can be had at once or somewhat later. */
  disconnect(member: MemberId): Promise<void>;
  /** Nothing passes between it and the service any more, and nobody says so. */
  cut(member: MemberId): void;
  heal(member: MemberId): void;
  /** The member's timer `a` becomes due, and by then the answer to its question is at hand as well. */
  atHandWhenDue(member: MemberId, question: ServiceRequest): Promise<void>;
  /** Lets time pass until `condition` holds; throws, naming `what`, when it does not. */
  until(what: string, condition: () => boolean): Promise<void>;
  pass(time: Duration): Promise<void>;
  counts(member: MemberId): ServiceCounts;
  /** The session of a member that left was acknowledged to be over; null when it has not left. */
  left(member: MemberId): boolean | null;
  close(): Promise<void>;
}

export interface ServiceMaker {
  readonly name: string;
  make(
    members: readonly MemberId[],
    /** Of their sessions. */
    timeout: Duration,
    create: (member: MemberId) => ServiceMember<ServiceProbeProtocol>,
    onOutput: (member: MemberId, output: string) => void,
  ): Promise<ServiceUnderTest>;
}

export type ServiceRequest = readonly ServiceEffect<ServiceProbeProtocol>[];

export interface ServiceProbeProtocol extends Coordination {
  readonly timer: "a" | "b";
  readonly request: ServiceRequest;
  readonly output: string;
}

export type ProbeInput = ServiceInput<ServiceProbeProtocol>;

export class ServiceProbe
  extends Scribe<ProbeInput, ServiceRequest[number]>
  implements ServiceMember<ServiceProbeProtocol>
{
  /** What it does at the next input that is so, once. */
  reaction: { readonly to: (input: ProbeInput) => boolean; readonly effects: ServiceRequest } | null = null;

  protected answer(input: ProbeInput): ServiceRequest {
    if (input.kind === "request") return input.request;
    const { reaction } = this;
    if (reaction === null || !reaction.to(input)) return [];
    this.reaction = null;
    return reaction.effects;
  }
}
