/** What a reply says of a change: done, surely not done, or nobody knows. */

import { epoch, type Zxid, zxid } from "#node/core/zxid.ts";
import type { Outcome } from "../../../workload/operation.ts";
import type { Header } from "../wire/messages.ts";
import type { Answered } from "./session.ts";

/**
 * Of gRPC: cancelled, unknown, deadline exceeded, internal, unavailable and data loss. etcd answers so when a
 * proposal may be under way still: a leader that was lost, an answer that did not come in time. All else it
 * answers before it proposes anything, or instead of doing it.
 */
const OPEN = new Set([1, 2, 4, 13, 14, 15]);

export function outcomeOf({ reply, server }: Answered): Outcome {
  if (reply === null) return server < 0 ? "failed" : "unknown";
  if (reply.status === 0) return "ok";
  return OPEN.has(reply.status) ? "unknown" : "failed";
}

/**
 * Where a change stands in the one order of all: revisions rise by one with each. The term above it tells
 * which leader's time that was. It is the term that the server had reached when it answered, which is the
 * change's own but for one that was answered while the next leader's first entry came.
 */
export const placeOf = ({ term, revision }: Header): Zxid => zxid(epoch(term), revision);
