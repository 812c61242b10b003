/**
 * Sequential consistency: there is one order of all writes, and every session reads along it without ever
 * going back.
 *
 * The zxids are that order. What a session has seen puts it at a place in the history: at least where its
 * last write, or the newest value it has read, was written. A later read of another znode must then show it
 * as it was there or later, so a value that had been overwritten before that place proves that the session
 * was sent into the past. This is what reads without a sync promise, also to a session that moves to another
 * server.
 */

import { describe, type History, isOperation, type Operation, type OperationOf } from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

type Change = OperationOf<"create" | "write" | "remove">;
type Read = OperationOf<"read">;

export function sessionsReadForward(history: History): Finding {
  const operations = history.filter(isOperation);
  const changes = new Changes(operations);
  const wrong: string[] = [];
  let answered = 0;
  for (const ofSession of Map.groupBy(operations, ({ session }) => session).values()) {
    const session = new Progress(changes);
    for (const operation of ofSession) {
      if (operation.outcome !== "ok") continue;
      answered += 1;
      const reason = session.see(operation);
      if (reason !== null) wrong.push(`${reason}: ${describe(operation)}`);
    }
  }
  return finding("sessions read forward", answered, wrong);
}

const isChange = (operation: Operation): operation is Change =>
  ["create", "write", "remove"].includes(operation.kind);

class Progress {
  readonly #changes: Changes;
  /** The replies' own word for how far its server was. */
  #told = 0;
  /** Proved by what it has written and read. */
  #place = 0;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /** What is wrong with this reply, or null. */
  see(operation: Operation): string | null {
    const told = operation.zxid ?? this.#told;
    const back = told < this.#told;
    this.#told = Math.max(this.#told, told);
    const stale = operation.kind === "read" && !this.#follow(operation);
    if (isChange(operation)) this.#place = Math.max(this.#place, operation.zxid ?? 0);
    if (stale) return `older than place 0x${this.#place.toString(16)}, where its session was`;
    return back ? `a reply from before 0x${this.#told.toString(16)}, which its session had seen` : null;
  }

  #follow({ key, sight }: Read): boolean {
    const written = sight === null ? this.#changes.removalAround(key, this.#place) : sight.mzxid;
    if (written === null) return false;
    const overwritten = this.#changes.after(key, written)?.zxid ?? Infinity;
    const forward = this.#place < overwritten;
    this.#place = Math.max(this.#place, written);
    return forward;
  }
}

/** The changes of every znode whose places are known, in the order of the history. */
class Changes {
  readonly #ofKey: ReadonlyMap<string, readonly Change[]>;
  readonly #perhapsRemoved: ReadonlySet<string>;

  constructor(operations: readonly Operation[]) {
    const changes = operations.filter(isChange);
    const placed = changes.filter(({ outcome, zxid }) => outcome === "ok" && zxid !== null);
    placed.sort((a, b) => (a.zxid ?? 0) - (b.zxid ?? 0));
    this.#ofKey = Map.groupBy(placed, ({ key }) => key);
    const unplaced = changes.filter(({ outcome, zxid }) => outcome !== "failed" && zxid === null);
    this.#perhapsRemoved = new Set(unplaced.filter(({ kind }) => kind === "remove").map(({ key }) => key));
  }

  after(key: string, place: number): Change | undefined {
    return this.#ofKey.get(key)?.[this.#countUpTo(key, place)];
  }

  /**
   * Where the znode went, seen missing at this place or later; null when nothing explains that it is missing.
   */
  removalAround(key: string, place: number): number | null {
    const changes = this.#ofKey.get(key) ?? [];
    const upTo = this.#countUpTo(key, place);
    const last = changes[upTo - 1];
    if (last === undefined) return 0;
    if (last.kind === "remove") return last.zxid;
    if (this.#perhapsRemoved.has(key)) return place;
    return changes.slice(upTo).find(({ kind }) => kind === "remove")?.zxid ?? null;
  }

  #countUpTo(key: string, place: number): number {
    const changes = this.#ofKey.get(key) ?? [];
    let [low, high] = [0, changes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((changes[middle]?.zxid ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
