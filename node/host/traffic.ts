/**
 * Counts what a server sends, and says so from time to time: once a second, and a hundred times a second
 * around an election, so that what belongs to a recovery can be told from what came after it.
 *
 * Counting costs two additions a message; both hosts count at the place where frames leave.
 */

import type { BroadcastMessage } from "../broadcast/message.ts";
import type { ServerId } from "../core/identity.ts";
import { type Instant, after, milliseconds, seconds } from "../core/time.ts";
import type { PeerMessage } from "../replica/message.ts";
import type { ReplicaEvent } from "../telemetry/event.ts";
import { PURPOSES, type Purpose, type Volumes } from "../telemetry/traffic.ts";

const PERIOD = seconds(1);
const CLOSE = milliseconds(10);
/** So long after a change of leader it is told more often. */
const CLOSELY = seconds(1);

export class Traffic {
  readonly #self: ServerId;
  readonly #sent = Object.fromEntries(
    PURPOSES.map((purpose) => [purpose, { messages: 0, bytes: 0 }]),
  ) as Record<Purpose, { messages: number; bytes: number }>;
  #leads = false;
  #serves = false;
  #hasMore = false;
  #nextAt = 0 as Instant;
  #closelyUntil = 0 as Instant;

  constructor(self: ServerId) {
    this.#self = self;
  }

  /** A frame of so many bytes leaves for so many servers. */
  count(message: PeerMessage, receivers: number, bytes: number): void {
    const volume = this.#sent[this.#purposeOf(message)];
    volume.messages += receivers;
    volume.bytes += receivers * bytes;
    this.#hasMore = true;
  }

  /** What the replica tells shows which phase it is in. */
  observe(event: ReplicaEvent, now: Instant): void {
    if (event.kind === "looking" || event.kind === "lost") this.#serves = false;
    else if (event.kind === "elected") this.#leads = event.leader === this.#self;
    else if (event.kind === "serving") this.#serves = true;
    else return;
    this.#nextAt = now;
    this.#closelyUntil = after(now, CLOSELY);
  }

  /** Whether it is time to tell again; asked at the end of each turn. */
  due(now: Instant): Extract<ReplicaEvent, { kind: "traffic" }> | null {
    if (!this.#hasMore || now < this.#nextAt) return null;
    this.#hasMore = false;
    this.#nextAt = after(now, now < this.#closelyUntil ? CLOSE : PERIOD);
    const sent = Object.fromEntries(PURPOSES.map((purpose) => [purpose, { ...this.#sent[purpose] }]));
    return { kind: "traffic", sent: sent as Volumes };
  }

  #purposeOf({ part, message }: PeerMessage): Purpose {
    return part === "broadcast" ? this.#phaseOf(message) : part;
  }

  #phaseOf({ kind }: BroadcastMessage): Purpose {
    switch (kind) {
      case "recall":
      case "recalled":
      case "join":
      case "refuse":
      case "leave":
      case "handOver":
      case "wait":
      case "newEpoch":
      case "ackEpoch":
        return "discovery";
      case "pull":
      case "pulled":
        return "pull";
      // A history that a follower sends is one that the leader pulls, and only a leader acknowledges that.
      case "truncate":
      case "snapshot":
        return this.#leads ? "synchronization" : "pull";
      case "snapshotTaken":
        return this.#leads ? "pull" : "synchronization";
      case "propose":
        return this.#serves ? "broadcast" : this.#leads ? "synchronization" : "pull";
      case "ack":
        return this.#serves ? "broadcast" : this.#leads ? "pull" : "synchronization";
      case "newLeader":
      case "upToDate":
        return "synchronization";
      case "forward":
      case "commit":
      case "sync":
      case "synced":
      case "confirm":
      case "confirmed":
        return "broadcast";
    }
  }
}
