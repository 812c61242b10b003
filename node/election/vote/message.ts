/**
 * What servers say that vote: candidates ask, voters grant, and whoever has a majority says that it leads.
 */

import type { ServerId } from "../../core/identity.ts";
import type { Round } from "../../core/score.ts";
import type { Key } from "../key.ts";
import type { CommonMessage } from "../peer-election.ts";

export type MajorityMessage =
  /** Vote for me. */
  | { readonly kind: "ask"; readonly round: Round; readonly key: Key }
  /** You have my vote of this round. The key is the voter's: by it the others know after whom to stand. */
  | { readonly kind: "grant"; readonly round: Round; readonly key: Key }
  /** Answers who asked in an earlier round: this one is under way. */
  | { readonly kind: "late"; readonly round: Round }
  /** I lead this round still: promise anew. */
  | { readonly kind: "renew"; readonly round: Round; readonly renewal: number }
  /** Promised, from when that came. */
  | { readonly kind: "kept"; readonly round: Round; readonly renewal: number }
  /** So good a leader I would be by now: by it the others know after whom to stand. */
  | { readonly kind: "standing"; readonly round: Round; readonly key: Key }
  /** I have a majority; the keys are those of whom it was heard. */
  | { readonly kind: "master"; readonly round: Round; readonly keys: readonly Key[] };

export type MajoritySays = MajorityMessage | CommonMessage;

/** What makes it a message that no server of this ensemble would send, or null. */
export function flawOf(message: MajoritySays, from: ServerId, servers: readonly ServerId[]): string | null {
  if ("leader" in message && !servers.includes(message.leader))
    return `its vote names server ${message.leader}, which is not of the ensemble`;
  const keys = "keys" in message ? message.keys : "key" in message ? [message.key] : [];
  const stranger = keys.find(({ server }) => !servers.includes(server));
  if (stranger !== undefined)
    return `its ${message.kind} names server ${stranger.server}, which is not of the ensemble`;
  if ("key" in message && message.key.server !== from)
    return `its ${message.kind} has the key of server ${message.key.server}`;
  return keys.some(({ score }) => score.some(Number.isNaN))
    ? `its ${message.kind} has a score that is not a number`
    : null;
}
