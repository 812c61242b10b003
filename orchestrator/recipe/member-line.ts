/** What a member of a trial is told when it begins, and what it says, in one line of JSON each. */

import type { Looked } from "../check/leadership/looked.ts";
import type { Recipe, RecipePlan, Word } from "./plan.ts";

/** Milliseconds of the machine's monotonic clock. */
export type MemberLine = { readonly at: number } & (
  | { readonly kind: "stands" }
  | { readonly kind: "follows"; readonly leader: string; readonly term: number }
  | { readonly kind: "takes over" | "hangs" | "stays"; readonly term: number }
  | { readonly kind: "acts" | "rests"; readonly term: number }
  /** What is fenced took a write, or turned it away because a later term had written. */
  | {
      readonly kind: "wrote";
      readonly term: number;
      readonly isTaken: boolean;
      /** The zxid of the state that it made, or in which it was turned away. */
      readonly order: number;
    }
);

export interface MemberOrders {
  readonly recipe: Recipe;
  readonly word: Word | null;
  /** The nearest first. */
  readonly servers: string;
  readonly id: string;
  readonly site: string;
  readonly score: number;
  readonly root: string;
  readonly fence: string;
  readonly strategy: string;
  readonly watching: RecipePlan["watching"];
  /** Milliseconds. */
  readonly timeout: number;
  readonly takeover: number;
  readonly within: number;
  /** Files in this folder say what one member shall do wrong; who finds one takes it away. */
  readonly conduct: string;
}

/** The next to take over never gets ready; the next to be deposed acts on until it is turned away. */
export const MISCONDUCT = ["hang-takeover", "stay"] as const;

/** An observer beside the service was told of a znode. */
export interface Seen {
  readonly at: number;
  readonly path: string;
  readonly kind: string;
}

/** And then read what is written there. */
export interface Written extends Omit<Looked, "name"> {
  readonly kind: "read";
  readonly at: number;
  readonly path: string;
}

/** A frame that a server was sent by a member, or that it told one unasked. */
export interface Counted {
  readonly at: number;
  readonly kind: "request" | "told";
  readonly what: string;
  readonly path: string;
  /** The member's address. */
  readonly of: string;
}
