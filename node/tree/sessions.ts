/**
 * The sessions of the whole ensemble, as every server knows them: a session exists from one transaction to
 * another.
 *
 * It is named by the zxid of the transaction that began it, so no two are ever called the same and no server
 * needs numbers of its own. Which server it is at is part of the state, too: a client that connects elsewhere
 * takes its session along by a transaction, and what its old server still sends in its name after that is
 * refused.
 *
 * So every server can tell whether a client that brings a session is its owner: all know the seal of its
 * password, and nobody but the owner the password.
 */

import { MAX_SERVER_ID, type ServerId } from "../core/identity.ts";
import type { Epoch } from "../core/zxid.ts";
import type { Hash } from "./hash.ts";
import type { Undo } from "./undo.ts";

export type SessionId = number;

/**
 * The xid under which a leader asks for the end of a session whose server is down. It holds in this epoch
 * only, and while the session is at this server: a leader that was cut off may get through with what it asked
 * long after others decided otherwise.
 */
export const expiryXid = (epoch: Epoch, server: ServerId): number => epoch * (MAX_SERVER_ID + 1) + server;

export interface Session {
  readonly id: SessionId;
  readonly timeoutMs: number;
  readonly seal: string;
  /** Where its client is connected, or was last. */
  readonly server: ServerId;
  /** Paths of the znodes that go when it goes. */
  readonly ephemerals: Set<string>;
}

export class Sessions {
  readonly #undo: Undo;
  readonly #sessions = new Map<SessionId, Session>();
  /** Began, moved or ended since somebody asked. */
  #changed = new Set<SessionId>();

  constructor(undo: Undo) {
    this.#undo = undo;
  }

  get size(): number {
    return this.#sessions.size;
  }

  get(id: SessionId): Session | undefined {
    return this.#sessions.get(id);
  }

  all(): IterableIterator<Session> {
    return this.#sessions.values();
  }

  /** Which have begun, moved or ended since this was last asked. */
  takeChanged(): Iterable<SessionId> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Begins, or moves with all that it has. */
  set(id: SessionId, timeoutMs: number, seal: string, server: ServerId): void {
    const ephemerals = this.#sessions.get(id)?.ephemerals ?? new Set<string>();
    this.#sessions.set(id, { id, timeoutMs, seal, server, ephemerals });
    this.#changed.add(id);
  }

  delete(id: SessionId): void {
    this.#sessions.delete(id);
    this.#changed.add(id);
  }

  addEphemeral(id: SessionId, path: string): void {
    const ephemerals = this.#sessions.get(id)?.ephemerals;
    ephemerals?.add(path);
    this.#undo.note(() => ephemerals?.delete(path));
  }

  removeEphemeral(id: SessionId, path: string): void {
    const ephemerals = this.#sessions.get(id)?.ephemerals;
    ephemerals?.delete(path);
    this.#undo.note(() => ephemerals?.add(path));
  }

  /** A sum, so that the order of sessions does not matter. What they own is in the znodes. */
  hashInto(hash: Hash): [number, number] {
    let [first, second] = [0, 0];
    for (const { id, timeoutMs, seal, server } of this.#sessions.values()) {
      hash.begin().number(id).int(timeoutMs).text(seal).int(server);
      first = (first + hash.first) | 0;
      second = (second + hash.second) | 0;
    }
    return [first, second];
  }
}
