/**
 * A lock as clients of ZooKeeper make it, of an ephemeral znode, and what is seen of it.
 *
 * A request whose answer was lost may take effect at any later time. So that an old release never takes the
 * lock from who holds it by then, taking it also writes a guard, and letting it go checks that nobody has
 * written the guard since.
 */

import { instant } from "#node/core/time.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { operation, sightOf } from "./answer.ts";
import { create, EPHEMERAL, get, set, sync } from "./request.ts";
import { type Answer, now, type TortureSession } from "./session.ts";
import type { Histories } from "./workload.ts";

export const LOCK = "/lock";
export const GUARD = "/guard";

export class Lock {
  readonly #session: TortureSession;
  readonly #histories: Histories;

  constructor(session: TortureSession, histories: Histories) {
    this.#session = session;
    this.#histories = histories;
  }

  /** Takes the lock if it is free, works under it, lets go. */
  async story(work: () => Promise<void>): Promise<void> {
    const session = this.#session;
    const operations = [create(LOCK, "", EPHEMERAL), set(GUARD, "", -1)];
    const [taken] = await session.ask([{ kind: "multi", operations }]);
    const guard = taken === undefined ? null : guardIn(taken);
    if (taken?.error !== ERRORS.ok || taken.zxid === null || guard === null) {
      await this.look();
      return;
    }
    await work();
    // Since when it was heard last the session has lived for its timeout, whatever it knows.
    const heard = Math.max(session.heard, taken.invoked);
    const lived = session.name === taken.session ? heard + session.timeoutMs * 1000 : taken.completed;
    const until = instant(Math.min(lived, now()));
    const { session: holder, completed: from, zxid: token } = taken;
    if (until > from) {
      this.#histories.locks.push({ kind: "hold", key: LOCK, session: holder, from, until, token });
    }
    await this.#release(guard);
  }

  /** Who holds it, now; null when that was not answered. */
  async look(): Promise<true | null> {
    let left: number | null = null;
    let seen: true | null = null;
    await this.#session.ask([sync(LOCK), get(GUARD), get(LOCK)], ([synced, guard, lock]) => {
      if (synced?.error !== ERRORS.ok || guard?.error !== ERRORS.ok || lock === undefined) return;
      const isThere = lock.error === ERRORS.ok;
      if (!isThere && lock.error !== ERRORS.noNode) return;
      const sight = isThere ? sightOf(lock) : null;
      const action = { kind: "read", key: LOCK, synced: true, watch: false, sight } as const;
      this.#histories.locks.push(operation({ ...lock, error: ERRORS.ok }, action));
      seen = true;
      // Left from a try whose answer was lost.
      if (sight !== null && sight.owner === lock.session) left = sightOf(guard).version;
    });
    if (left !== null) await this.#release(left);
    return seen;
  }

  async #release(guard: number): Promise<void> {
    const operations = [
      { kind: "check", path: GUARD, version: guard } as const,
      { kind: "delete", path: LOCK, version: -1 } as const,
    ];
    await this.#session.ask([{ kind: "multi", operations }]);
  }
}

function guardIn({ reply }: Answer): number | null {
  const written = reply?.kind === "multi" ? reply.results[1] : undefined;
  return written?.kind === "setData" ? written.stat.version : null;
}
