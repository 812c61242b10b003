/**
 * The medium `service`: processes that do not speak to each other, but ask a coordination service, which they
 * all know and which remembers.
 *
 * A member is a value that reacts, as an automaton is. It has a session with the service: it asks, and is
 * answered in the order of its questions; it watches, and is told when what it has seen changes; and what the
 * session owns lives as long as the session, so that its end is how others hear of a death. What a host owes
 * it are the numbered sentences of `host/service-contract.ts`.
 */

import type { Effect, Input, Protocol } from "./automaton.ts";
import type { Instant } from "./time.ts";

/** What is asked, what comes of it, and what is told to whoever watches. */
export interface ServiceProtocol extends Protocol {
  readonly message: never;
  readonly question: unknown;
  readonly reply: unknown;
  readonly event: unknown;
}

export type Answer<P extends ServiceProtocol> =
  | { readonly kind: "done"; readonly reply: P["reply"] }
  /** It was not done, for a reason that the service has a number for. */
  | { readonly kind: "refused"; readonly error: number }
  /** The connection ended before the answer was there: whether it was done nobody can tell. */
  | { readonly kind: "unknown" };

export type ServiceInput<P extends ServiceProtocol> =
  /**
   * The first input of a life. `life` is a random 32-bit number; a member remembers nothing of earlier lives.
   */
  | { readonly kind: "start"; readonly life: number }
  /** There is a session: a new one, which owns nothing and watches nothing, or the one that was suspended. */
  | { readonly kind: "connected"; readonly isNew: boolean }
  /** The connection is lost. The session may end meanwhile, and others may know it first. */
  | { readonly kind: "suspended" }
  /** The service has ended the session, and with it whatever it owned. A new one is sought. */
  | { readonly kind: "expired" }
  /** The service does not believe who this member says it is. Nothing more comes. */
  | { readonly kind: "not believed" }
  | { readonly kind: "answered"; readonly id: number; readonly answer: Answer<P> }
  | { readonly kind: "watched"; readonly event: P["event"] }
  | Extract<Input<P>, { readonly kind: "timeout" | "request" }>;

export type ServiceEffect<P extends ServiceProtocol> =
  /** The answer comes under this number. */
  | { readonly kind: "ask"; readonly id: number; readonly question: P["question"] }
  /** End the session, and with it this life. */
  | { readonly kind: "leave" }
  | Extract<Effect<P>, { readonly kind: "arm" | "disarm" | "output" }>;

/** Same state and same input give the same effects, whatever runs it. */
export interface ServiceMember<P extends ServiceProtocol> {
  step(input: ServiceInput<P>, now: Instant): readonly ServiceEffect<P>[];
}
