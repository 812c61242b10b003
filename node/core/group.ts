/**
 * The medium `group`: processes that do not know each other, and one way to speak: to whoever listens.
 *
 * A member is a value that reacts, as an automaton is; what differs is what reaches it and what it can do.
 * Nobody gives it a list of the others, nothing is connected, and nobody is ever told to be unreachable. What
 * is announced may be lost, come twice, or come late; what a host owes it in spite of that are the numbered
 * sentences of `host/group-contract.ts`.
 */

import type { Effect, Input, Protocol } from "./automaton.ts";
import type { MemberId } from "./identity.ts";
import type { Instant } from "./time.ts";

export type GroupInput<P extends Protocol> =
  /**
   * The first input of a life. `life` is a random 32-bit number; a member remembers nothing of earlier lives.
   */
  | { readonly kind: "start"; readonly life: number }
  /** Somebody announced this, perhaps somebody never heard of before. */
  | { readonly kind: "message"; readonly from: MemberId; readonly message: P["message"] }
  | Extract<Input<P>, { readonly kind: "timeout" | "request" }>;

export type GroupEffect<P extends Protocol> =
  /** One datagram, to whoever listens when it arrives. */
  | { readonly kind: "announce"; readonly message: P["message"] }
  | Extract<Effect<P>, { readonly kind: "arm" | "disarm" | "output" }>;

/** Same state and same input give the same effects, whatever runs it. */
export interface Member<P extends Protocol> {
  step(input: GroupInput<P>, now: Instant): readonly GroupEffect<P>[];
}
