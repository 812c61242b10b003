/**
 * What the leader does of its own accord: it ends sessions that fell silent, and removes znodes that have
 * outlived their use. Both are transactions like any other; this only says which are due.
 *
 * Nothing here is replicated, and nothing is lost with a leader: the next one knows all sessions from the
 * state, and gives each its whole timeout again.
 */

import type { Duration, Instant, TimeOfDay } from "../core/time.ts";
import { Expiry } from "./expiry.ts";
import { type Caller, DEFAULTS, payloadOf } from "./payload.ts";
import type { Tree } from "./tree.ts";

export class Housekeeping {
  readonly expiry: Expiry;
  readonly #tree: Tree;
  /** The timeout that each session has in the expiry. */
  readonly #timeouts = new Map<number, number>();

  /** Begins with a leadership, and ends with it. */
  constructor(tree: Tree, tick: Duration, now: Instant) {
    this.#tree = tree;
    this.expiry = new Expiry(tick, now);
    this.#compare(now);
  }

  /** Signs of life, of this server's clients or told by another server. */
  touch(sessions: Iterable<number>, now: Instant): void {
    for (const session of sessions) this.expiry.touch(session, now);
  }

  /** Payloads of the transactions that are due, to be asked for about once a tick. */
  due(now: Instant, time: TimeOfDay): Uint8Array[] {
    this.#compare(now);
    const late = this.expiry.expired(now);
    const gone = this.#tree.perished(time).slice(0, MOST_REMOVALS);
    return [
      ...late.map((session) => payloadOf({ kind: "closeSession" }, speakingFor(session))),
      ...gone.map((path) => payloadOf({ kind: "deleteContainer", path }, speakingFor(0))),
    ];
  }

  /** Sessions begin and end by transactions; it takes less than a millisecond to look at ten thousand. */
  #compare(now: Instant): void {
    const { sessions } = this.#tree.state;
    for (const { id, timeoutMs } of sessions.all()) {
      if (this.#timeouts.get(id) === timeoutMs) continue;
      this.#timeouts.set(id, timeoutMs);
      this.expiry.add(id, timeoutMs, now);
    }
    for (const id of this.#timeouts.keys()) {
      if (sessions.get(id) !== undefined) continue;
      this.#timeouts.delete(id);
      this.expiry.remove(id);
    }
  }
}

const speakingFor = (session: number): Caller => ({ session, xid: 0, ids: [], options: DEFAULTS });

/** At once: a herd of perished znodes must not keep clients waiting. */
const MOST_REMOVALS = 100;
