/**
 * Who leads? What every election of the catalog is, seen from outside.
 *
 * An election is an automaton that is asked to `elect` when its server knows no leader, and that some time
 * later outputs `elected`. Its answer is a guess, and may differ between servers for a while: Zab makes sure
 * that only one guess can gather a quorum, so a wrong one costs time, never a transaction. Besides this it
 * hears what its medium brings: among servers `connected` and `unreachable` tell it who is known to be down.
 */

import type { Protocol } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import type { Round } from "../core/score.ts";
import type { Epoch } from "../core/zxid.ts";
import type { Facts } from "../telemetry/facts.ts";

export type ElectionRequest =
  /**
   * No leader is known, or the one that was known failed: find the next. `heir` is whom the leader named when
   * it gave its place away; an election may follow it at once.
   */
  | { readonly kind: "elect"; readonly heir?: ServerId }
  /** The service is led: this server serves under `leader` from now on. */
  | { readonly kind: "led"; readonly leader: ServerId; readonly epoch: Epoch }
  /** Who was elected leads no more, or never came to lead; `elect` follows, unless this server retires. */
  | { readonly kind: "lost"; readonly reason: string };

export type ElectionOutput =
  /** `claim`, where the election has one: greater than that of every leader before. */
  | {
      readonly kind: "elected";
      readonly leader: ServerId;
      readonly round: Round;
      readonly claim?: number;
    }
  /** Whom it elected is to be followed no more. */
  | { readonly kind: "deposed"; readonly reason: string }
  /** For the story of an election. */
  | { readonly kind: "observed"; readonly facts: Facts };

/** An election with messages of its own. */
export interface ElectionProtocol<Message = unknown> extends Protocol {
  readonly message: Message;
  readonly timer: string;
  readonly request: ElectionRequest;
  readonly output: ElectionOutput;
}
