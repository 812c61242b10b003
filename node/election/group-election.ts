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
import type { Facts } from "../telemetry/facts.ts";
import type { Assumptions } from "./assumptions.ts";
import type { MessageCodec } from "./entry.ts";
import type { Schema, Values } from "./options.ts";

export type GroupElectionOutput =
  /** Whom this member takes for the leader from now on; a round is one attempt of its own to lead. */
  | { readonly kind: "elected"; readonly leader: MemberId; readonly round: Round }
  /** For the story of an election. */
  | { readonly kind: "observed"; readonly facts: Facts };

export interface GroupElectionProtocol<Message = unknown> extends Protocol {
  readonly message: Message;
  readonly timer: string;
  /** Says what it has to say before it ends, at once; a member that is not asked ends in silence. */
  readonly request: "leave";
  readonly output: GroupElectionOutput;
}

export interface GroupElectionEntry<Message = unknown, S extends Schema = Schema> {
  create(self: MemberId, options: Values<S>): Member<GroupElectionProtocol<Message>>;
  readonly codec: MessageCodec<Message> & {
    /** What a message is called where messages are counted. */
    kind(message: Message): string;
  };
  readonly options: S;
  /** Whom all follow in the end, if they hear each other. */
  readonly promises: "the greatest" | "the least" | "one of them";
  /** Who begin together have spoken by then, or have been silenced. */
  firstRound(options: Values<S>): Duration;
  /** Outside of these its results compare nothing. */
  readonly assumes: Assumptions & { readonly medium: "group" };
  readonly source: string;
  readonly summary: string;
  /** What is wrong with these options together, or null. */
  flawOf?(options: Values<S>): string | null;
}
