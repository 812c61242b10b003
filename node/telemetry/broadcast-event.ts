/** What a recovery is made of, for stories and for "where the time went". */

import type { ServerId } from "../core/identity.ts";
import type { Epoch, Zxid } from "../core/zxid.ts";

export type BroadcastEvent =
  | { readonly kind: "joining"; readonly leader: ServerId }
  /** With a new disk, before the first epoch; so many are there. */
  | { readonly kind: "founding"; readonly servers: number }
  /** With a new disk, into this epoch or a later one. */
  | { readonly kind: "returning"; readonly epoch: Epoch }
  | { readonly kind: "discovered"; readonly epoch: Epoch; readonly newest: ServerId; readonly lastZxid: Zxid }
  | { readonly kind: "pulling"; readonly from: ServerId; readonly since: Zxid }
  | {
      readonly kind: "pulled";
      readonly from: ServerId;
      readonly bytes: number;
      readonly how: "diff" | "snapshot";
    }
  | {
      readonly kind: "synchronizing";
      readonly follower: ServerId;
      readonly how: "diff" | "truncate" | "snapshot";
      readonly from: Zxid;
    }
  | { readonly kind: "synchronized"; readonly follower: ServerId; readonly bytes: number }
  /** One that was level has gone, or is no longer led. */
  | { readonly kind: "parted"; readonly follower: ServerId }
  /** It gives its place to this one, and keeps writes back until that is level. */
  | { readonly kind: "handing"; readonly to: ServerId }
  /** It goes on to lead. */
  | { readonly kind: "kept"; readonly to: ServerId; readonly reason: string }
  | { readonly kind: "established"; readonly epoch: Epoch; readonly initial: Zxid }
  /** The first transaction of the epoch is committed, and executed here. */
  | { readonly kind: "committed"; readonly epoch: Epoch; readonly zxid: Zxid }
  | { readonly kind: "checkpoint"; readonly zxid: Zxid };

/**
 * A follower's wait for its leader's epoch, a leader's for a quorum of promises, and either's for progress
 * after it.
 */
