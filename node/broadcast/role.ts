/** What the broadcast passes to whichever role its server plays; a server that is looking plays none. */

import type { ServerId } from "../core/identity.ts";
import type { BroadcastTimer } from "./broadcast.ts";
import type { BroadcastMessage } from "./message.ts";
import type { Ticket } from "../core/transaction.ts";

export interface Role {
  readonly leader: ServerId;
  /** Why the role came to its end, once it has. */
  readonly over: string | null;
  /** Whom the leader has named as the next, once it has. */
  readonly heir: ServerId | null;
  /** The first ordinal of the history that is needed for others. */
  readonly pinned: number;
  message(from: ServerId, message: BroadcastMessage): void;
  /** With its new disk the server may take part now. */
  admitted(): void;
  connected(server: ServerId): void;
  unreachable(server: ServerId): void;
  durable(): void;
  timeout(timer: BroadcastTimer): void;
  write(ticket: Ticket, payload: Uint8Array): void;
  sync(sequence: number): void;
  turn(): void;
  /** Takes leave of everyone. */
  end(): void;
}
