/**
 * What happened in one election of a leader by a service, in the order in which the service took it: what
 * was written to its znodes, and what members did as leaders.
 */

export type Happening = { readonly at: number } & (
  | { readonly kind: "stands" | "gone"; readonly member: string }
  /** `elected` was set; `read` is the version that the writer demanded, -1 if it demanded none. */
  | {
      readonly kind: "elected";
      readonly term: number;
      readonly read: number;
      readonly member: string | null;
      readonly excluded: readonly string[];
      /** How often all had failed in this transition. */
      readonly rounds: number;
    }
  /** `current` was made or set. */
  | {
      readonly kind: "current";
      readonly member: string;
      readonly term: number;
      readonly status: string;
    }
  /** `current` is there no more: `how` it went, and whose it was. */
  | {
      readonly kind: "freed";
      readonly member: string;
      readonly how: "by its owner" | "with its session" | "by the elector" | "by another";
    }
  | { readonly kind: "claim refused"; readonly member: string; readonly term: number }
  /** People's wishes, by the ids of members. */
  | { readonly kind: "policy"; readonly prefer: readonly string[]; readonly exclude: readonly string[] }
  /** A member begins or ends to act as leader. */
  | { readonly kind: "acts" | "rests"; readonly member: string; readonly term: number }
  /** What is fenced took a write, or turned it away. */
  | { readonly kind: "wrote"; readonly member: string; readonly term: number; readonly isTaken: boolean }
);

export type Of<K extends Happening["kind"]> = Extract<Happening, { readonly kind: K }>;
