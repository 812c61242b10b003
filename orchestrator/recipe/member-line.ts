/** What a member of a trial says, one line of JSON each, by the machine's monotonic clock in milliseconds. */

export type MemberLine = { readonly at: number } & (
  | { readonly kind: "follows"; readonly leader: string; readonly term: number }
  | { readonly kind: "takes over"; readonly term: number }
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

export const RECIPES = ["chain", "herd", "priority"] as const;
export type Recipe = (typeof RECIPES)[number];

/** Where the election stands, and what leaders write to. */
export const ELECTION = "/trial/election";
export const FENCE = "/trial/fence";
