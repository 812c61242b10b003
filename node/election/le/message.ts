/** What servers that announce themselves say: that they lead, and to who leads, what they would claim. */

import type { ServerId } from "../../core/identity.ts";
import type { Judge, Round } from "../../core/score.ts";
import type { Epoch } from "../../core/zxid.ts";
import { compareKeys, type Key } from "../key.ts";

/**
 * I lead. `epoch` is the one that its sender serves in; none while it only believes to lead. `keys` are those
 * that it has heard of, so that all know who is next.
 */
export interface Claim {
  readonly kind: "claim";
  readonly round: Round;
  readonly epoch: Epoch;
  readonly key: Key;
  readonly keys: readonly Key[];
}

export type LeMessage =
  | Claim
  /** I follow, and this is what I would claim. */
  | { readonly kind: "worth"; readonly key: Key };

/** Who serves is greater than who only believes, and a later epoch than an earlier one. */
export const compareClaims = (
  judge: Judge,
  a: Pick<Claim, "epoch" | "key">,
  b: Pick<Claim, "epoch" | "key">,
): number => a.epoch - b.epoch || compareKeys(judge, a.key, b.key);

/** What makes it a message that no server of this ensemble would send, or null. */
export function flawOf(message: LeMessage, from: ServerId, servers: readonly ServerId[]): string | null {
  const { kind, key } = message;
  if (key.server !== from) return `its ${kind} is in the name of server ${key.server}`;
  const keys = kind === "claim" ? [key, ...message.keys] : [key];
  const stranger = keys.find(({ server }) => !servers.includes(server));
  return stranger === undefined
    ? null
    : `its ${kind} names server ${stranger.server}, which is not of the ensemble`;
}
