/**
 * The seam: a replica is a value that reacts.
 *
 * Something happens (an input) at a time (`now`), and the automaton answers with what should be done about it
 * (effects). It opens no socket, reads no clock, writes no file and draws no random number, so the same lines
 * run in virtual time and on real machines, and one seed is one run. Whatever does the effects is a host; its
 * obligations are the numbered sentences of `host/contract.ts`.
 */

import type { ServerId } from "./identity.ts";
import type { LogRecord, Recovered } from "./record.ts";
import type { Duration, Instant, TimeOfDay } from "./time.ts";

/** What one protocol is made of; automata, hosts and codecs are generic over it. */
export interface Protocol {
  readonly message: unknown;
  readonly timer: string;
  readonly request: unknown;
  readonly output: unknown;
}

export type Input<P extends Protocol> =
  /**
   * The first input of a life. `life` is a random 32-bit number; `timeOfDay` is what a wall clock shows at
   * `now`.
   */
  | {
      readonly kind: "start";
      readonly recovered: Recovered;
      readonly life: number;
      readonly timeOfDay: TimeOfDay;
    }
  /** Somebody has set the wall clock: this is what it shows at `now`. */
  | { readonly kind: "clock"; readonly timeOfDay: TimeOfDay }
  | { readonly kind: "message"; readonly from: ServerId; readonly message: P["message"] }
  | { readonly kind: "timeout"; readonly timer: P["timer"] }
  /** The first `upTo` records appended in this life will survive a crash. */
  | { readonly kind: "durable"; readonly upTo: number }
  | { readonly kind: "connected"; readonly server: ServerId }
  | { readonly kind: "unreachable"; readonly server: ServerId }
  | { readonly kind: "request"; readonly request: P["request"] }
  /**
   * Nothing more is at hand just now: what was held back to travel together goes out. Forty requests that
   * arrive at once become one proposal, one disk write and one acknowledgement, and a lone request waits for
   * nobody.
   */
  | { readonly kind: "turn" };

export type Effect<P extends Protocol> =
  /** One encoding, however many receive it. */
  | { readonly kind: "send"; readonly to: readonly ServerId[]; readonly message: P["message"] }
  | { readonly kind: "arm"; readonly timer: P["timer"]; readonly after: Duration }
  | { readonly kind: "disarm"; readonly timer: P["timer"] }
  | { readonly kind: "append"; readonly records: readonly LogRecord[] }
  /**
   * Drop the connection to a server that broke the protocol; the host tells the reason and may connect anew.
   */
  | { readonly kind: "close"; readonly server: ServerId; readonly reason: string }
  | { readonly kind: "output"; readonly output: P["output"] };

/** Same state and same input give the same effects, whatever runs it. */
export interface Automaton<P extends Protocol> {
  step(input: Input<P>, now: Instant): readonly Effect<P>[];
}
