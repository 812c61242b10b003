/**
 * Whose silence ends a session? The server's at which its client is, for it alone hears the client; and when
 * that server is down, the leader's.
 *
 * Every server counts for every session since when nobody has vouched for it. Its own clients vouch for
 * themselves; for those of other servers, their server does by serving under this one: one that is merely up,
 * and is still brought level, hears no client. So a leader waits a full timeout after a server left before it
 * ends the sessions that were there, and the clients have that long to come back at another. No server has to
 * tell the leader who was heard, as ZooKeeper's do.
 *
 * Silence counts only while this server is served by a quorum, for only then could the client be heard by
 * one: whenever a leader begins to serve, every session has its whole timeout again.
 */

import type { ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import { type Duration, type Instant, instant } from "../core/time.ts";
import { Expiry, type Schedule } from "./expiry.ts";
import type { Session } from "../tree/sessions.ts";

/** When clients gave their last signs of life, by session. */
export type Signs = ReadonlyMap<number, Instant>;

export class SessionKeeper {
  readonly #self: ServerId;
  readonly #tick: Duration;
  readonly #serving = new Set<ServerId>();
  readonly #known = new Map<number, Session>();
  #expiry: Expiry;
  readonly #mutant: Mutant | null;
  #leading = false;

  constructor(self: ServerId, tick: Duration, mutant: Mutant | null = null) {
    this.#mutant = mutant;
    this.#self = self;
    this.#tick = tick;
    this.#expiry = new Expiry(tick, instant(0));
  }

  /** Another server begins to serve under this one, or does so no longer. */
  serves(server: ServerId, serves: boolean, now: Instant): void {
    if (serves) this.#serving.add(server);
    else if (this.#serving.delete(server)) {
      for (const session of this.#known.values()) {
        if (session.server === server) this.#expiry.touch(session.id, now);
      }
    }
  }

  /** A leader begins to serve: this server or another. */
  beginAnew(sessions: Iterable<Session>, leading: boolean, now: Instant): void {
    this.#leading = leading;
    if (this.#mutant !== "leases-not-begun-anew") {
      this.#expiry = new Expiry(this.#tick, now);
      this.#known.clear();
    }
    this.look(sessions, NOBODY, now);
  }

  /** Which sessions there are, and when own clients were heard. */
  look(sessions: Iterable<Session>, heard: Signs, now: Instant): void {
    const gone = new Set(this.#known.keys());
    for (const session of sessions) {
      gone.delete(session.id);
      this.#know(session, heard, now);
    }
    for (const id of gone) this.#forget(id);
    this.hear(heard);
  }

  /** As `look`, where all others are what they were. */
  lookAt(
    changed: Iterable<number>,
    find: (id: number) => Session | undefined,
    heard: Signs,
    now: Instant,
  ): void {
    for (const id of changed) {
      const session = find(id);
      if (session === undefined) this.#forget(id);
      else this.#know(session, heard, now);
    }
    this.hear(heard);
  }

  hear(heard: Signs): void {
    for (const [id, at] of heard) this.#expiry.touch(id, at);
  }

  /** The sessions that this server should end, at most so many; the others wait until it is asked again. */
  late(most: number, now: Instant): Session[] {
    const late: Session[] = [];
    if (most <= 0) return late;
    for (const id of this.#expiry.expired(now)) {
      const session = this.#known.get(id) as Session;
      if (this.#vouchesFor(session)) this.#expiry.touch(id, now);
      else if (late.push(session) === most) break;
    }
    return late;
  }

  schedule(): Schedule {
    return this.#expiry.schedule();
  }

  #know(session: Session, heard: Signs, now: Instant): void {
    const { id, timeoutMs, server } = session;
    const before = this.#known.get(id);
    this.#known.set(id, session);
    // To begin it or to move it, its client had to speak.
    const waits = this.#mutant === "ends-late" ? 2 * timeoutMs : timeoutMs;
    if (before?.timeoutMs !== timeoutMs || before.server !== server)
      this.#expiry.add(id, waits, heard.get(id) ?? now);
  }

  #forget(id: number): void {
    this.#known.delete(id);
    this.#expiry.remove(id);
  }

  /** Another server hears this client, or it is for the leader to say that it does not. */
  #vouchesFor({ server }: Session): boolean {
    const isHeard = this.#serving.has(server) && this.#mutant !== "leader-vouches-for-nobody";
    return server !== this.#self && (!this.#leading || isHeard);
  }
}

const NOBODY: Signs = new Map();
