/** What a replica is asked by its host, and what it tells it. */

import type { Pieces } from "../core/pieces.ts";
import type { BroadcastTimer } from "../broadcast/broadcast.ts";
import type { Protocol } from "../core/automaton.ts";
import type { ClientId, ServerId } from "../core/identity.ts";
import type { Zxid } from "../core/zxid.ts";
import type { HeartbeatTimer } from "../oracle/heartbeat-message.ts";
import type { ReplicaEvent } from "../telemetry/event.ts";
import type { PeerMessage } from "./message.ts";

/** What a client asks. Its tag comes back with the answer: whatever its asker wants to have then. */
export type Inquiry<Tag> =
  | { readonly kind: "write"; readonly client: ClientId; readonly tag: Tag; readonly payload: Uint8Array }
  | { readonly kind: "read"; readonly client: ClientId; readonly tag: Tag; readonly query: Uint8Array }
  /** Whatever is read after the answer includes everything committed before the question. */
  | { readonly kind: "sync"; readonly client: ClientId; readonly tag: Tag }
  /** Its asker knows the answer, whose turn it is after those before it. */
  | { readonly kind: "known"; readonly client: ClientId; readonly tag: Tag };

export type ReplicaRequest<Tag = number> =
  /**
   * A client begins; `seen` is the newest state it has read anywhere, so that it never reads an older one.
   */
  | { readonly kind: "attach"; readonly client: ClientId; readonly seen: Zxid }
  | Inquiry<Tag>
  | { readonly kind: "detach"; readonly client: ClientId }
  /** If this server leads, give its place to that one while it serves; `handing` and `kept` tell. */
  | { readonly kind: "transfer"; readonly to: ServerId }
  /** Leave for good: hand over what is led, take no part in elections any more. */
  | { readonly kind: "retire" };

export type ReplicaOutput<Tag = number> =
  /** `zxid` is what the answer reflects: all up to here. */
  | {
      readonly kind: "reply";
      readonly client: ClientId;
      readonly tag: Tag;
      readonly zxid: Zxid;
      readonly result: Pieces;
    }
  /** Not done, and never will be. */
  | { readonly kind: "refused"; readonly client: ClientId; readonly tag: Tag; readonly reason: string }
  /** Done or not: the state came as a snapshot, which does not tell. */
  | { readonly kind: "unknown"; readonly client: ClientId; readonly tag: Tag; readonly reason: string }
  /** The client is ahead of this server: it must try another, or later. */
  | { readonly kind: "behind"; readonly client: ClientId }
  | { readonly kind: "event"; readonly event: ReplicaEvent };

export type ReplicaTimer =
  | `heartbeat/${HeartbeatTimer}`
  | `election/${string}`
  | `broadcast/${BroadcastTimer}`;

export interface ReplicaProtocol<Tag = number> extends Protocol {
  readonly message: PeerMessage;
  readonly timer: ReplicaTimer;
  readonly request: ReplicaRequest<Tag>;
  readonly output: ReplicaOutput<Tag>;
}
