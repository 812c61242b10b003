/** What a leader tells that gives its place to a better one of its own accord. */

import type { ServerId } from "../core/identity.ts";

export type ResignationEvent =
  /**
   * The other has been better by this share for so long; `ownMs` and `otherMs` are what the oracle predicts
   * of both, where it judges by times.
   */
  | {
      readonly kind: "resigning";
      readonly to: ServerId;
      readonly advantage: number;
      readonly heldMs: number;
      readonly ownMs?: number;
      readonly otherMs?: number;
    }
  /** What came of it: the mean of all writes before and after. */
  | {
      readonly kind: "resigned";
      readonly to: ServerId;
      readonly beforeMs: number;
      readonly afterMs: number;
      readonly ownMs?: number;
      readonly otherMs?: number;
    }
  /** The other is better, and there were as many changes in an hour as there may be. */
  | { readonly kind: "staying"; readonly to: ServerId; readonly changes: number };
