/** Who is to be told of what, once: a service tells a client that something changed, not whom it concerns. */

import { EVENT_TYPES, type EventType, type WatchEvent } from "../wire/client/watch.ts";

/** What a watch tells, once. */
export interface Change {
  readonly kind: EventType;
  readonly path: string;
}

export type Watcher = (change: Change) => void;

/** What fires a watch on a znode, and one on the list of its children. */
export const DATA_CHANGES: readonly EventType[] = ["created", "deleted", "dataChanged"];
export const LIST_CHANGES: readonly EventType[] = ["childrenChanged", "deleted"];

interface Watch {
  readonly fires: readonly EventType[];
  readonly watcher: Watcher;
}

const KINDS: ReadonlyMap<number, EventType> = new Map(
  Object.entries(EVENT_TYPES).map(([kind, type]) => [type, kind as EventType]),
);

export class Watchers {
  readonly #watches = new Map<string, readonly Watch[]>();

  /** What takes it back. */
  add(path: string, fires: readonly EventType[], watcher: Watcher): () => void {
    const watch = { fires, watcher };
    this.#watches.set(path, [...(this.#watches.get(path) ?? []), watch]);
    return () => this.#keep(path, (each) => each !== watch);
  }

  /** Tells whom it concerns; null when it is nothing that could be told. */
  fire({ type, path }: WatchEvent): Change | null {
    const kind = KINDS.get(type);
    if (kind === undefined) return null;
    const concerns = ({ fires }: Watch): boolean => fires.includes(kind);
    const told = (this.#watches.get(path) ?? []).filter(concerns);
    this.#keep(path, (each) => !concerns(each));
    for (const { watcher } of told) watcher({ kind, path });
    return { kind, path };
  }

  clear(): void {
    this.#watches.clear();
  }

  #keep(path: string, isKept: (watch: Watch) => boolean): void {
    const left = (this.#watches.get(path) ?? []).filter(isKept);
    if (left.length === 0) this.#watches.delete(path);
    else this.#watches.set(path, left);
  }
}
