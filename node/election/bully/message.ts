/** What Bully says: the lecture's three messages, the answer of who is less, and votes for who comes late. */

import type { ServerId } from "../../core/identity.ts";
import type { Round } from "../../core/score.ts";
import type { Key } from "../key.ts";
import type { CommonMessage } from "../peer-election.ts";

export type BullyMessage =
  /** Is anybody greater than this? */
  | { readonly kind: "election"; readonly round: Round; readonly key: Key }
  /** I am, and see to it. */
  | { readonly kind: "ok"; readonly round: Round }
  /** I am not. Only where keys have scores: ids alone are known. */
  | { readonly kind: "yield"; readonly round: Round }
  /** I lead. */
  | { readonly kind: "coordinator"; readonly round: Round };

export type BullySays = BullyMessage | CommonMessage;

/** What makes it a message that no server of this ensemble would send, or null. */
export function flawOf(message: BullySays, servers: readonly ServerId[]): string | null {
  const named = "leader" in message ? message.leader : "key" in message ? message.key.server : null;
  if (named !== null && !servers.includes(named))
    return `its ${message.kind} names server ${named}, which is not of the ensemble`;
  return "key" in message && message.key.score.some(Number.isNaN)
    ? "its election has a score that is not a number"
    : null;
}
