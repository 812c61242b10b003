/**
 * Who leads a group? What every election over the medium `group` is, seen from outside.
 *
 * A member begins to elect when its life begins, and says `elected` each time it changes its mind, also about
 * itself. Members may differ for as long as announcements are lost, and so more than one may believe to lead.
 */

import type { Protocol } from "../core/automaton.ts";
import type { Member } from "../core/group.ts";
import type { MemberId } from "../core/identity.ts";
import type { Round } from "../core/score.ts";
import type { Duration } from "../core/time.ts";
import type { Reader } from "../wire/reader.ts";
import type { Writer } from "../wire/writer.ts";

export type GroupElectionOutput =
  /** Whom this member takes for the leader from now on; a round is one attempt of its own to lead. */
  | { readonly kind: "elected"; readonly leader: MemberId; readonly round: Round }
  /** For the story of an election, in its own words. */
  | { readonly kind: "observed"; readonly facts: Facts };

type Facts = { readonly name: string } & { readonly [fact: string]: string | number };

export interface GroupElectionProtocol<Message = unknown> extends Protocol {
  readonly message: Message;
  readonly timer: string;
  readonly request: never;
  readonly output: GroupElectionOutput;
}

/** What a group's elections can be told, each taking what it knows of. */
export interface GroupElectionOptions {
  /** T_A: a leader announces itself so often. */
  readonly announce: Duration;
  /** T_L: who hears nothing of its leader for so long believes in it no more. */
  readonly listen: Duration;
  /** T_S: who begins waits up to so long whether somebody greater speaks. */
  readonly suppress: Duration;
}

export interface GroupElectionEntry<Message = unknown> {
  create(self: MemberId, options: GroupElectionOptions): Member<GroupElectionProtocol<Message>>;
  readonly codec: {
    write(message: Message, writer: Writer): void;
    read(reader: Reader): Message | null;
    kind(message: Message): string;
  };
  /** What holds when nobody says anything. */
  readonly usual: GroupElectionOptions;
  /** Where it is right. Outside of that its results compare nothing. */
  readonly assumes: {
    readonly medium: "group";
    readonly failures: "crash-recovery";
    readonly messages: "lossy";
    readonly timing: "partially synchronous";
  };
  readonly source: string;
  readonly summary: string;
}
