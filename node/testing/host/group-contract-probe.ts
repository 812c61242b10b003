/**
 * What the tests of a group's contract need of a host, and the member they look through: it writes down every
 * input, and a request tells it which effects to return.
 */

import type { Protocol } from "../../core/automaton.ts";
import type { GroupEffect, GroupInput, Member } from "../../core/group.ts";
import type { MemberId } from "../../core/identity.ts";
import type { Duration } from "../../core/time.ts";
import type { GroupCounts } from "../../host/group-counts.ts";
import type { DatagramCodec } from "../../host/group-datagram.ts";
import { Scribe } from "./scribe.ts";

/** The group that the probes are members of. */
export const CLUSTER = "contract";

/** A host with probes as members. Times are those of the host: virtual, or real. */
export interface GroupUnderTest {
  /** Begins a life of this member; resolves when it has begun. */
  start(member: MemberId): Promise<void>;
  /** Ends it in silence. */
  stop(member: MemberId): Promise<void>;
  request(member: MemberId, effects: GroupRequest): void;
  /** A datagram that anybody may have sent reaches everybody. */
  inject(datagram: Uint8Array): void;
  /**
   * While this member's timer `a` becomes due, what the other announces comes to be at hand as well: neither
   * was given before both are there.
   */
  atHandWhenDue(member: MemberId, other: MemberId, announcement: GroupRequest): Promise<void>;
  /** Lets time pass until `condition` holds; throws, naming `what`, when it does not. */
  until(what: string, condition: () => boolean): Promise<void>;
  pass(time: Duration): Promise<void>;
  /** What was counted for this member, or for all where they are counted together. */
  counts(member: MemberId): GroupCounts;
  /** The sentences that were told about this member, or about all. */
  told(member: MemberId): readonly string[];
  close(): Promise<void>;
}

export interface GroupMaker {
  readonly name: string;
  make(
    members: readonly MemberId[],
    create: (member: MemberId) => Member<GroupProbeProtocol>,
    onOutput: (member: MemberId, output: string) => void,
  ): Promise<GroupUnderTest>;
}

export interface GroupProbeMessage {
  readonly number: number;
  /** How many bytes of padding travel with it. */
  readonly padding: number;
}

export type GroupRequest = readonly GroupEffect<GroupProbeProtocol>[];

export interface GroupProbeProtocol extends Protocol {
  readonly message: GroupProbeMessage;
  readonly timer: "a" | "b";
  readonly request: GroupRequest;
  readonly output: string;
}

type ProbeInput = GroupInput<GroupProbeProtocol>;

export class GroupProbe
  extends Scribe<ProbeInput, GroupRequest[number]>
  implements Member<GroupProbeProtocol>
{
  /** What it does at the next timeout, once. */
  atTimeout: GroupRequest = [];

  protected answer(input: ProbeInput): GroupRequest {
    if (input.kind === "request") return input.request;
    if (input.kind !== "timeout") return [];
    const effects = this.atTimeout;
    this.atTimeout = [];
    return effects;
  }
}

/** body => number:u32 padding; the number 0 is refused. */
export const groupProbeCodec: DatagramCodec<GroupProbeProtocol> = {
  write: ({ number, padding }, writer) => writer.u32(number).bytes(new Uint8Array(padding)),
  read: (reader) => {
    const number = reader.u32();
    return number === 0 ? null : { number, padding: reader.rest().length };
  },
  kind: ({ number }) => (number % 2 === 0 ? "even" : "odd"),
};
