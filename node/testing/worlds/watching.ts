/**
 * The watches of one client, as it may believe in them: one is told once, of a change that there was, and
 * before any answer that reflects the change. Over a change of servers it is set again, and what was missed
 * is told then.
 */

import { printZxid, type Zxid } from "../../core/zxid.ts";
import { Violation } from "../../host/virtual/swarm/sequence.ts";
import type { Book } from "./book.ts";

interface Watch {
  /** The state that it was set in. */
  readonly origin: Zxid;
  /** Changes behind this one are told before answers that reflect them; null until that is known again. */
  since: Zxid | null;
}

export class Watching {
  readonly #name: string;
  readonly #book: Book;
  readonly #watches = new Map<string, Watch>();
  /** Nobody watches for it until its watches are set again. */
  #isWatched = true;
  /** When its session came to the server where it is. */
  #openedAt = 0 as Zxid;

  constructor(name: string, book: Book) {
    this.#name = name;
    this.#book = book;
  }

  set(path: string, zxid: Zxid): void {
    if (!this.#watches.has(path)) this.#watches.set(path, { origin: zxid, since: zxid });
  }

  told(path: string): void {
    const watch = this.#watches.get(path);
    if (watch === undefined) throw this.#violation(`was told of ${path}, which it does not watch`);
    this.#watches.delete(path);
    if (!this.#book.changedBetween(path, watch.origin, this.#book.sequence.last))
      throw this.#violation(`was told of ${path}, which has not changed since ${printZxid(watch.origin)}`);
  }

  parted(): void {
    this.#isWatched = false;
    for (const watch of this.#watches.values()) watch.since = null;
  }

  opened(at: Zxid): void {
    this.#openedAt = at;
    if (this.#watches.size === 0) this.#isWatched = true;
  }

  setAgain(): void {
    this.#isWatched = true;
  }

  forget(): void {
    this.#watches.clear();
    this.#isWatched = true;
  }

  answered(zxid: Zxid): void {
    if (!this.#isWatched) return;
    for (const [path, watch] of this.#watches) {
      const { since, origin } = watch;
      if (since !== null) {
        if (!this.#book.changedBetween(path, since, zxid)) continue;
        throw this.#violation(
          `has an answer of ${printZxid(zxid)} and not heard that ${path} changed after ${printZxid(since)}`,
        );
      }
      // It was set again in a state that is at least that of its session's coming.
      const isSteady = !this.#book.changedBetween(path, this.#openedAt, zxid);
      const there = this.#book.versionAt(path, this.#openedAt);
      if (isSteady && there.mzxid !== this.#book.versionAt(path, origin).mzxid)
        throw this.#violation(`has not heard where it went that ${path} changed after ${printZxid(origin)}`);
      watch.since = zxid;
    }
  }

  #violation(what: string): Violation {
    return new Violation(`${this.#name} ${what}`);
  }
}
