/**
 * A process as the lectures have it: it knows its id and its neighbours' directions, reacts to one thing at a
 * time, and nobody fails.
 *
 * The words are those of the replica's elections (`step`, inputs, effects, on and back round a ring), but
 * there is no clock, no quorum and no repair here: what the lectures claim is measured on what the lectures
 * say, and beside it stands what a replica runs, in `election/`.
 */

/** Round a ring: in the direction of travel, or against it. */
export type Way = "on" | "back";

/** Counted by its kind. */
export interface Message {
  readonly kind: string;
}

export type Input<M extends Message> =
  /** It looks for a leader by itself. */
  | { readonly kind: "begin" }
  /** `way` is the direction in which it travels; `from` the place of whoever sent it. */
  | { readonly kind: "message"; readonly from: number; readonly way: Way; readonly message: M }
  | { readonly kind: "timeout"; readonly timer: string }
  /** All processes step at once; what is said in a round is heard at its end. Rounds count from 1. */
  | { readonly kind: "round"; readonly number: number };

export type Effect<M extends Message> =
  | { readonly kind: "pass on" | "pass back"; readonly message: M }
  /** To places, where everybody reaches everybody. */
  | { readonly kind: "send"; readonly to: readonly number[]; readonly message: M }
  /** In units of the greatest delay of a message. */
  | { readonly kind: "arm"; readonly timer: string; readonly after: number }
  | { readonly kind: "disarm"; readonly timer: string }
  /** It takes itself for the leader. */
  | { readonly kind: "lead" }
  | { readonly kind: "follow"; readonly leader: number };

export interface Process<M extends Message> {
  step(input: Input<M>): readonly Effect<M>[];
}

export const NOTHING: readonly never[] = [];

/** What whoever hears who leads does round a ring. */
export const believe = <M extends Message & { readonly id: number }>(message: M): readonly Effect<M>[] => [
  { kind: "follow", leader: message.id },
  { kind: "pass on", message },
];
