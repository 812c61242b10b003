/** What a leader knows of one server that joined it. */

import type { ServerId } from "../core/identity.ts";
import { type Epoch, NO_EPOCH, type Zxid, ZERO } from "../core/zxid.ts";
import type { Join } from "./message.ts";
import type { Promised } from "./server-state.ts";
import type { Stream } from "./stream.ts";

export type Stage =
  /** It asked to follow; no epoch was offered to it yet. */
  | "joined"
  /** It was offered the epoch. */
  | "invited"
  /** It has promised the epoch and told what it has. */
  | "promised"
  /** It is being sent what it lacks. */
  | "streaming"
  /** It has everything up to `newLeader` and the epoch on its disk: it counts. */
  | "synchronized"
  /** It was told that the epoch is established, and serves clients. */
  | "serving";

export class Learner {
  readonly id: ServerId;
  readonly attempt: number;
  readonly promise: Promised;
  stage: Stage = "joined";
  currentEpoch: Epoch = NO_EPOCH;
  member = false;
  /** The end of its history when it promised. */
  lastZxid: Zxid = ZERO;
  stream: Stream | null = null;
  /** Where `newLeader` stands in the stream: not before `target`, and null until it is sent. */
  target: Zxid = ZERO;
  newLeader: Zxid | null = null;
  /** It has everything up to here on its disk, as a member of the epoch. */
  acknowledged: Zxid = ZERO;
  /** The last question whether its leader leads that it said yes to. */
  confirmed = 0;

  constructor(id: ServerId, { attempt, promise }: Join) {
    this.id = id;
    this.attempt = attempt;
    this.promise = promise;
  }

  get counts(): boolean {
    return this.stage === "synchronized" || this.stage === "serving";
  }

  /** From which ordinal on the history must be kept for it: once it serves it takes what there is. */
  get pinned(): number {
    if (this.stream === null) return Number.POSITIVE_INFINITY;
    return this.counts && !this.stream.sendsSnapshot ? Number.POSITIVE_INFINITY : this.stream.next;
  }
}
