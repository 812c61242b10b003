/**
 * The properties that a run can be judged by. A run asks for those that its workload feeds; one that was
 * asked for and got nothing to look at is vacuous, and fails.
 */

import { conservedSum } from "./conservation.ts";
import { equalDigests } from "./convergence.ts";
import { noLostWrite } from "./durability.ts";
import { ephemeralsEnd } from "./ephemeral.ts";
import { exclusiveLocks } from "./exclusion.ts";
import type { History } from "./history.ts";
import { increasingSequences } from "./sequence.ts";
import { sessionsReadForward } from "./session-order.ts";
import { type Finding, type Verdict, verdict } from "./verdict.ts";
import { unforkedVersions } from "./version-chain.ts";
import { watchesFire } from "./watch-order.ts";
import { linearizableZnodes } from "./znode-order.ts";

export const PROPERTIES = {
  durable: noLostWrite,
  linearizable: linearizableZnodes,
  sequential: sessionsReadForward,
  unforked: unforkedVersions,
  numbered: increasingSequences,
  conserved: conservedSum,
  exclusive: exclusiveLocks,
  watched: watchesFire,
  ephemeral: ephemeralsEnd,
  equal: equalDigests,
} as const satisfies Record<string, (history: History) => Finding>;

export type Property = keyof typeof PROPERTIES;

export const judge = (history: History, properties: readonly Property[]): Verdict =>
  verdict(properties.map((property) => PROPERTIES[property](history)));
