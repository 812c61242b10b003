/**
 * What the catalog says of an election, and all that its folder need give: how it is made, how its messages
 * become bytes, what can be chosen about it, and where it is right.
 */

import type { Automaton } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import type { Judge } from "../core/score.ts";
import type { Duration } from "../core/time.ts";
import type { Facts } from "../telemetry/facts.ts";
import type { Reader } from "../wire/reader.ts";
import type { Writer } from "../wire/writer.ts";
import type { Assumptions } from "./assumptions.ts";
import type { ElectionProtocol } from "./election.ts";
import type { Schema, Values } from "./options.ts";

/** The place that an election takes: whose it is, among whom, and who judges. */
export interface Seat {
  readonly self: ServerId;
  /** The whole ensemble in ascending order, this server included. */
  readonly servers: readonly ServerId[];
  readonly judge: Judge;
  /**
   * Hardly any answer of this server takes longer; null where its distance is not known and need not be
   * waited for. Without it everybody is taken to be near.
   */
  readonly reach?: (server: ServerId) => Duration | null;
  readonly mutant: Mutant | null;
}

/** How its messages become bytes and are read again; both pure. */
export interface MessageCodec<Message> {
  write(message: Message, writer: Writer): void;
  /** What is wrong is told to the reader; whatever is returned then counts for nothing. */
  read(reader: Reader): Message | null;
  /** One of each kind at least, for whoever tries what comes of them. */
  readonly examples: readonly Message[];
}

/** A sentence for people, and whether one follows an election by it or looks for a mistake. */
export interface Told {
  readonly level: "info" | "debug";
  readonly sentence: string;
}

export interface ElectionEntry<Message = unknown, S extends Schema = Schema> {
  create(seat: Seat, options: Values<S>): Automaton<ElectionProtocol<Message>>;
  readonly codec: MessageCodec<Message>;
  readonly options: S;
  /** Outside of these its results compare nothing. */
  readonly assumes: Assumptions;
  readonly source: string;
  readonly summary: string;
  /** What is wrong with these options together, or null. */
  flawOf?(options: Values<S>): string | null;
  /** What it observed, in words; null leaves it to `tell.ts`. */
  tell?(facts: Facts): Told | null;
  /** Whom a message proposes. The swarm demands that only such, or who spoke itself, are elected. */
  proposes?(message: Message): readonly ServerId[];
  /** May it elect at once whom it heard before it was asked, while it had a leader? */
  readonly remembers?: boolean;
  /** Has a quorum stood, as a candidate or a voter with a score, in the round of whoever elects itself? */
  quorumStands?(options: Values<S>): boolean;
  /** Why an election with these options may find nobody for long though nothing is wrong, or null. */
  mayNotEnd?(options: Values<S>): string | null;
}
