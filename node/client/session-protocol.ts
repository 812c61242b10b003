/** What a session is told, what it wants done, and what it tells its user. */

import type { Duration } from "../core/time.ts";
import type { WatchEvent } from "../wire/client/watch.ts";
import type { Asked } from "./question.ts";

export type SessionInput =
  /** Go to a server, this one or whose turn it is; `anew`: as if there had never been a session. */
  | { readonly kind: "connect"; readonly server?: number | undefined; readonly anew?: boolean | undefined }
  /** The connection that was wanted last is there. */
  | { readonly kind: "connected" }
  /** It ended, or could not be had. */
  | { readonly kind: "disconnected" }
  /** The bytes are the session's from now on. */
  | { readonly kind: "received"; readonly bytes: Uint8Array }
  /** The connection takes no more for now; it does again. */
  | { readonly kind: "full" }
  | { readonly kind: "room" }
  | { readonly kind: "timeout"; readonly timer: SessionTimer }
  /** What was asked goes out. */
  | { readonly kind: "flush" }
  /** Leave this server with the session. */
  | { readonly kind: "leave" }
  /** End the session, then everything. */
  | { readonly kind: "close" }
  /** End everything, and leave the session to its timeout. */
  | { readonly kind: "abandon" };

/** `patience` with a server, the next `look` at how long it has been silent, trying `again`. */
export type SessionTimer = "patience" | "look" | "again";

export type SessionEffect<Tag> =
  | { readonly kind: "connect"; readonly server: number }
  /** Of the connection nothing more is wanted, nor to be told. */
  | { readonly kind: "disconnect" }
  | { readonly kind: "write"; readonly bytes: Uint8Array }
  /** There is more to write: `room` will bring it, at once or when what was written has gone. */
  | { readonly kind: "more" }
  | { readonly kind: "arm"; readonly timer: SessionTimer; readonly after: Duration }
  | { readonly kind: "disarm"; readonly timer: SessionTimer }
  | SessionEvent<Tag>;

/** In the order in which it happened. */
export type SessionEvent<Tag> =
  /** There is a session: the one there was, or a new one. */
  | { readonly kind: "opened"; readonly resumed: boolean; readonly readOnly: boolean }
  /** The connection is over; `wasOpen`, if there was a session on it. */
  | { readonly kind: "closed"; readonly wasOpen: boolean; readonly reason: string }
  | Answered<Tag>
  /** Its connection ended first: whether it was done nobody can tell. */
  | { readonly kind: "lost"; readonly asked: Asked<Tag> }
  | { readonly kind: "watch"; readonly event: WatchEvent }
  /** The watches of the last connection are set at this one. */
  | { readonly kind: "watching" }
  /** The servers know of no such session any more. */
  | { readonly kind: "expired" }
  /** A server did not believe who this client says it is. Nothing more will come. */
  | { readonly kind: "auth failed" }
  /** Nothing more will come; `acknowledged`, if a server said that it has ended the session. */
  | { readonly kind: "ended"; readonly acknowledged: boolean };

export interface Answered<Tag> {
  readonly kind: "answered";
  readonly asked: Asked<Tag>;
  readonly error: number;
  /** What the answer reflects. */
  readonly zxid: number;
  /** The whole answer, from its xid on. */
  readonly frame: Uint8Array;
}
