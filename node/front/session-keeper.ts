/**
 * Whose silence ends a session? The server's at which its client is, for it alone hears the client; and when
 * that server is down, the leader's.
 *
 * Every server counts for every session since when nobody has vouched for it. Its own clients vouch for
 * themselves; for those of other servers, their server does by being up. So a leader waits a full timeout
 * after a server went down before it ends the sessions that were there, and the clients have that long to
 * come back at another. No server has to tell the leader who was heard, as ZooKeeper's do.
 *
 * Silence counts only while this server is served by a quorum, for only then could the client be heard by
 * one: whenever a leader begins to serve, every session has its whole timeout again.
 */

import type { ServerId } from "../core/identity.ts";
import type { Duration, Instant } from "../core/time.ts";
import { Expiry, type Schedule } from "./expiry.ts";
import type { Session } from "../tree/sessions.ts";

export class SessionKeeper {
  readonly #self: ServerId;
  readonly #tick: Duration;
  readonly #up = new Set<ServerId>();
  readonly #known = new Map<number, Session>();
  #expiry: Expiry | null = null;

  constructor(self: ServerId, tick: Duration) {
    this.#self = self;
    this.#tick = tick;
  }

  isUp(server: ServerId, up: boolean): void {
    if (up) this.#up.add(server);
    else this.#up.delete(server);
  }

  /** A leader begins to serve. */
  beginAnew(sessions: Iterable<Session>, now: Instant): void {
    this.#expiry = null;
    this.#known.clear();
    this.#look(sessions, [], now);
  }

  /** The sessions that this server should end; `heard` are those of own clients that gave a sign of life. */
  late(sessions: Iterable<Session>, heard: readonly number[], leading: boolean, now: Instant): Session[] {
    return this.#look(sessions, heard, now)
      .expired(now)
      .flatMap((id) => this.#known.get(id) ?? [])
      .filter(({ server }) => leading || server === this.#self);
  }

  /** Looks first, as a tick does, so that sessions that began a moment ago are in it. */
  schedule(sessions: Iterable<Session>, heard: readonly number[], now: Instant): Schedule {
    return this.#look(sessions, heard, now).schedule();
  }

  #look(sessions: Iterable<Session>, heard: readonly number[], now: Instant): Expiry {
    this.#expiry ??= new Expiry(this.#tick, now);
    const expiry = this.#expiry;
    const gone = new Set(this.#known.keys());
    for (const session of sessions) {
      const { id, timeoutMs, server } = session;
      gone.delete(id);
      const before = this.#known.get(id);
      this.#known.set(id, session);
      // To move it, its client had to speak.
      if (before?.timeoutMs !== timeoutMs || before.server !== server) expiry.add(id, timeoutMs, now);
      else if (server !== this.#self && this.#up.has(server)) expiry.touch(id, now);
    }
    for (const id of gone) {
      this.#known.delete(id);
      expiry.remove(id);
    }
    for (const id of heard) expiry.touch(id, now);
    return expiry;
  }
}
