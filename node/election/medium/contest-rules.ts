/** What differs between elections of a ring: what happens to a token in one round. */

import type { Key } from "../key.ts";
import type { Token } from "./contest-message.ts";
import type { Way } from "./ring.ts";

/** What happens to the rules of a round in which this server takes part. */
export type Happening<T extends Token> =
  /** `initiates`: asked to, or nobody else's token brought it here. */
  | { readonly kind: "begin"; readonly initiates: boolean }
  | { readonly kind: "again" }
  /** The neighbour on this side is another. */
  | { readonly kind: "repaired"; readonly way: "on" | "back" }
  /** Stamped already: as it would go on from here. */
  | { readonly kind: "token"; readonly token: T; readonly way: Way };

export interface Deed<T extends Token> {
  /** `home`: the own token has been all around. */
  readonly kind: "pass on" | "pass back" | "home";
  readonly token: T;
}

/** One round of an election, as the lectures have it: nobody fails, everybody takes part. */
export interface Rules<T extends Token, Tour> {
  /** What is remembered before anything has happened. */
  readonly nothing: Tour;
  /** Does who was never asked to elect take part in what it hears of? Else it waits until it is asked. */
  readonly wakes?: boolean;
  /** `begin`, `again` (what was said may be lost) and `repaired` say something. */
  step(
    tour: Tour,
    happening: Happening<T>,
    own: Key,
    compare: Compare,
  ): { readonly tour: Tour; readonly deeds: readonly Deed<T>[] };
  /** What is wrong with a token that came this way, or null. */
  flawOf(token: T, way: Way): string | null;
}

export type Compare = (a: Key, b: Key) => number;
