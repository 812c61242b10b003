/**
 * Every watch fires once, in the order of the changes, and before its session can see the change.
 *
 * A read that sets a watch shows its znode as of some place in the history. The next change after that place
 * must be told to the session before any reply that is at or beyond it (a reply's zxid says how far its
 * server was, and a read of the znode itself shows it). A watch on a set is about its elements: the next
 * change is the first that was added and not listed. A notification without a watch, and so a second one, is
 * wrong too. Where a change may have happened whose place is not known, the place of the notification is not
 * known either, and its order is not judged.
 *
 * A session that goes on at another connection sets its watches again. What changed meanwhile is told then,
 * in any order. Only of a znode that was missing, came and went again, it is told nothing: so the protocol
 * has it.
 */

import type { Zxid } from "#node/core/zxid.ts";
import {
  describe,
  type Entry,
  type History,
  isOperation,
  type Operation,
  type OperationOf,
} from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

type Change = OperationOf<"create" | "write" | "remove" | "add">;

export function watchesFire(history: History): Finding {
  const changes = new KnownChanges(history);
  const wrong: string[] = [];
  let set = 0;
  const concerned = history.filter((entry) => "session" in entry);
  for (const entries of Map.groupBy(concerned, ({ session }) => session).values()) {
    const watcher = new Watcher(changes);
    for (const entry of entries) {
      if (setsWatch(entry)) set += 1;
      wrong.push(...watcher.see(entry));
    }
  }
  return finding("watches fire once, in order, before the change is seen", set, wrong);
}

interface Watch {
  /** The place at which the znode was seen. */
  readonly since: number;
  /** Of a set, what was listed. */
  readonly elements: ReadonlySet<string>;
  /** The first known change after it that must be told. */
  readonly due: Zxid | null;
  readonly isMissing: boolean;
}

/** One session's watches, as they must be after each thing that arrives. */
class Watcher {
  readonly #changes: KnownChanges;
  /** Every watched znode, and how it was seen when the watch was set. */
  readonly #set = new Map<string, Watch>();
  /** The place of the last change that was told. */
  #told = 0;
  /** Between two connections nothing has an order. */
  #isInterrupted = false;

  constructor(changes: KnownChanges) {
    this.#changes = changes;
  }

  see(entry: Entry): string[] {
    if (entry.kind === "disconnection") this.#set.clear();
    if (entry.kind === "interruption") this.#interrupt();
    if (entry.kind === "resumption") this.#isInterrupted = false;
    if (entry.kind === "notification") return this.#notified(entry.session, entry.key);
    if (!isOperation(entry) || entry.outcome !== "ok") return [];
    const wrong = this.#overdue(entry);
    if (setsWatch(entry)) this.#watch(entry);
    return wrong;
  }

  #interrupt(): void {
    this.#isInterrupted = true;
    for (const [key, watch] of this.#set) {
      if (watch.isMissing) this.#set.set(key, { ...watch, due: null });
    }
  }

  #notified(session: string, key: string): string[] {
    const watch = this.#set.get(key);
    if (watch === undefined) return [`${session} was told of ${key}, which it did not watch any more`];
    this.#set.delete(key);
    const place = this.#changes.mayBeMore(key) ? null : watch.due;
    if (place === null) return [];
    const late = place < this.#told && !this.#isInterrupted;
    this.#told = Math.max(this.#told, place);
    return late ? [`${session} was told of ${key} (0x${place.toString(16)}) after a later change`] : [];
  }

  #overdue(reply: Operation): string[] {
    const wrong: string[] = [];
    const place = reply.zxid ?? 0;
    for (const [key, watch] of this.#set) {
      const { since, due } = watch;
      if (!shows(reply, key, watch) && (due === null || place < due)) continue;
      wrong.push(`the watch on ${key}, set at 0x${since.toString(16)}, had not fired: ${describe(reply)}`);
      this.#set.delete(key);
    }
    return wrong;
  }

  /** When the reply about a missing znode does not tell its place, nothing is known to come after it. */
  #watch(seen: Watching): void {
    const { key, zxid } = seen;
    if (seen.kind === "list") {
      const elements = new Set(seen.elements);
      const due = this.#changes.earliestBeside(key, elements);
      this.#set.set(key, { since: zxid ?? 0, elements, due, isMissing: false });
      return;
    }
    const since = seen.sight?.mzxid ?? zxid ?? Infinity;
    const due = this.#changes.earliestAfter(key, since);
    this.#set.set(key, { since, elements: new Set(), due, isMissing: seen.sight === null });
  }
}

type Watching = OperationOf<"read" | "list">;

const setsWatch = (entry: Entry): entry is Watching =>
  (entry.kind === "read" || entry.kind === "list") && entry.outcome === "ok" && entry.watch;

/** Does this reply show the change that the watch is for? */
function shows(reply: Operation, key: string, { since, elements }: Watch): boolean {
  if (reply.kind === "read") return reply.key === key && (reply.sight?.mzxid ?? 0) > since;
  if (reply.kind !== "list" || reply.key !== key) return false;
  return reply.elements.some((element) => !elements.has(element));
}

interface HistoryPlace {
  readonly zxid: Zxid;
  /** What was added there, if it is a set. */
  readonly element: string | null;
}

class KnownChanges {
  readonly #places: ReadonlyMap<string, readonly HistoryPlace[]>;
  readonly #perhapsMore: ReadonlySet<string>;

  constructor(history: History) {
    const changes = history.filter(isChange).filter(({ outcome }) => outcome !== "failed");
    const places = new Map<string, HistoryPlace[]>();
    const perhapsMore = new Set<string>();
    for (const change of changes) {
      const { key, zxid } = change;
      const ofKey = places.get(key) ?? [];
      if (zxid === null) perhapsMore.add(key);
      else ofKey.push({ zxid, element: change.kind === "add" ? change.element : null });
      places.set(key, ofKey);
    }
    for (const ofKey of places.values()) ofKey.sort((a, b) => a.zxid - b.zxid);
    this.#places = places;
    this.#perhapsMore = perhapsMore;
  }

  /** The first change after this place that is known. */
  earliestAfter(key: string, place: number): Zxid | null {
    return this.#places.get(key)?.find(({ zxid }) => zxid > place)?.zxid ?? null;
  }

  /** The first element that is known to be added, of those that are not listed. */
  earliestBeside(key: string, listed: ReadonlySet<string>): Zxid | null {
    const places = this.#places.get(key);
    return places?.find(({ element }) => element !== null && !listed.has(element))?.zxid ?? null;
  }

  /** Somewhere there may be a change whose place is not known. */
  mayBeMore(key: string): boolean {
    return this.#perhapsMore.has(key);
  }
}

const isChange = (entry: Entry): entry is Change =>
  entry.kind === "create" || entry.kind === "write" || entry.kind === "remove" || entry.kind === "add";
