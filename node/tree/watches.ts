/**
 * Who wants to be told of what. Watches belong to one server and are no part of the replicated state.
 *
 * A watch is a connection, a path and one or more of four modes: once of the data, once of the children, of
 * both for good, of everything below for good. Most paths have one watcher, so an entry is one small number
 * (connection and modes) until a second watcher makes it a map.
 *
 * What a change fires follows ZooKeeper's order. Nobody is told of one deletion twice.
 */

import type { ClientId } from "../core/identity.ts";
import type { Zxid } from "../core/zxid.ts";
import type { Acl } from "../wire/client/acl.ts";
import { EVENT_TYPES, type EventType, WATCH_TYPE } from "../wire/client/watch.ts";
import { parentOf, ROOT } from "./path.ts";
import type { Happening } from "./state.ts";

export const MODE = {
  data: 1,
  child: 2,
  lastingData: 4,
  lastingChild: 8,
  /** Both of the lasting ones. */
  persistent: 12,
  recursive: 16,
  /** Among the watches of children in 3.8.0, where it hears of deletions only. */
  recursiveChild: 32,
} as const;

const OF_DATA = MODE.data | MODE.lastingData | MODE.recursive;
const OF_CHILDREN = MODE.child | MODE.lastingChild | MODE.recursiveChild;
const RECURSIVE = MODE.recursive | MODE.recursiveChild;

export interface WatchFired {
  readonly kind: "watch";
  readonly client: ClientId;
  readonly zxid: Zxid;
  /** A number of `EVENT_TYPES`. */
  readonly type: number;
  readonly path: string;
  /** Only who may read the znode may learn of its changes; null for what everybody may know. */
  readonly acl: readonly Acl[] | null;
}

type Entry = number | Map<ClientId, number>;

export class Watches {
  readonly #byPath = new Map<string, Entry>();
  readonly #byClient = new Map<ClientId, Set<string>>();
  /** While there are none, a change need not look at the paths above it. */
  #recursive = 0;

  /**
   * In 3.8.0 a client has one mode a path among the watches of data and one among those of children: what it
   * asks for last. One of everything below is among both.
   */
  add(client: ClientId, path: string, modes: number, asIn380 = false): void {
    const before = this.#modes(client, path);
    if (!asIn380) {
      this.#put(client, path, before | modes);
      return;
    }
    const added = modes === MODE.recursive ? RECURSIVE : modes;
    let kept = before;
    if ((added & OF_DATA) !== 0) kept &= ~OF_DATA;
    if ((added & OF_CHILDREN) !== 0) kept &= ~OF_CHILDREN;
    this.#put(client, path, kept | added);
  }

  /** Does the client watch the path in this way? The type is one of `WATCH_TYPE`. */
  has(client: ClientId, path: string, type: number): boolean {
    return (this.#modes(client, path) & modesOf(type)) !== 0;
  }

  remove(client: ClientId, path: string, type: number): boolean {
    if (!this.has(client, path, type)) return false;
    this.#put(client, path, this.#modes(client, path) & ~modesOf(type));
    return true;
  }

  forget(client: ClientId): void {
    for (const path of this.#byClient.get(client) ?? []) this.#put(client, path, 0);
  }

  forgetAll(): void {
    this.#byPath.clear();
    this.#byClient.clear();
    this.#recursive = 0;
  }

  /** The events of one change, in the order in which they are to be sent. */
  fire({ kind, path, acl, parentAcl }: Happening, zxid: Zxid): WatchFired[] {
    if (this.#byPath.size === 0) return [];
    const fired: WatchFired[] = [];
    const tell = (type: EventType, of: string, whose: readonly Acl[]) => (client: ClientId) =>
      fired.push({ kind: "watch", client, zxid, type: EVENT_TYPES[type], path: of, acl: whose });

    const told = new Set<ClientId>();
    const once = tell(kind, path, acl);
    const tellOnce = (client: ClientId): void => {
      if (told.has(client)) return;
      told.add(client);
      once(client);
    };
    this.#take(path, MODE.data, MODE.lastingData | MODE.recursive, tellOnce);
    this.#above(path, MODE.recursive, tellOnce);
    if (kind === "dataChanged") return fired;
    if (kind === "deleted") {
      this.#take(path, MODE.child, MODE.lastingChild | MODE.recursiveChild, tellOnce);
      this.#above(path, MODE.recursiveChild, tellOnce);
    }
    const parent = parentOf(path);
    this.#take(parent, MODE.child, MODE.lastingChild, tell("childrenChanged", parent, parentAcl));
    return fired;
  }

  get counts(): { readonly clients: number; readonly paths: number; readonly watches: number } {
    let watches = 0;
    for (const paths of this.#byClient.values()) watches += paths.size;
    return { clients: this.#byClient.size, paths: this.#byPath.size, watches };
  }

  *byClient(): Generator<readonly [ClientId, Iterable<string>]> {
    yield* this.#byClient;
  }

  /**
   * Tells the watchers of this path that have one of the modes; those who asked for once are forgotten by it.
   */
  #take(path: string, once: number, lasting: number, tell: (client: ClientId) => void): void {
    const entry = this.#byPath.get(path);
    if (entry === undefined) return;
    for (const [client, modes] of clientsOf(entry)) {
      if ((modes & (once | lasting)) === 0) continue;
      tell(client);
      if ((modes & once) !== 0) this.#put(client, path, modes & ~once);
    }
  }

  #above(path: string, mode: number, tell: (client: ClientId) => void): void {
    if (this.#recursive === 0) return;
    for (let above = path; above !== ROOT; ) {
      above = parentOf(above);
      this.#take(above, 0, mode, tell);
    }
  }

  #modes(client: ClientId, path: string): number {
    const entry = this.#byPath.get(path);
    if (entry === undefined) return 0;
    if (typeof entry === "number") return clientOf(entry) === client ? entry % MODES : 0;
    return entry.get(client) ?? 0;
  }

  #put(client: ClientId, path: string, modes: number): void {
    const before = this.#modes(client, path);
    this.#recursive += Math.sign(modes & RECURSIVE) - Math.sign(before & RECURSIVE);
    const entry = this.#byPath.get(path);
    const paths = this.#byClient.get(client) ?? new Set<string>();
    if (modes === 0) {
      paths.delete(path);
      if (paths.size === 0) this.#byClient.delete(client);
      if (typeof entry === "object") entry.delete(client);
      if (typeof entry === "number" ? before !== 0 : entry?.size === 0) this.#byPath.delete(path);
      return;
    }
    if (paths.size === 0) this.#byClient.set(client, paths);
    paths.add(path);
    if (typeof entry === "object") entry.set(client, modes);
    else if (entry === undefined || clientOf(entry) === client)
      this.#byPath.set(path, client * MODES + modes);
    else
      this.#byPath.set(
        path,
        new Map([
          [clientOf(entry), entry % MODES],
          [client, modes],
        ]),
      );
  }
}

const MODES = 64;

const clientOf = (entry: number): ClientId => Math.floor(entry / MODES) as ClientId;

const clientsOf = (entry: Entry): (readonly [ClientId, number])[] =>
  typeof entry === "number" ? [[clientOf(entry), entry % MODES]] : [...entry];

/**
 * As in 3.8.0: a persistent watch is one of the data and one of the children, and each can be taken away
 * alone.
 */
function modesOf(type: number): number {
  switch (type) {
    case WATCH_TYPE.children:
      return OF_CHILDREN;
    case WATCH_TYPE.data:
      return OF_DATA;
    case WATCH_TYPE.any:
      return OF_DATA | OF_CHILDREN;
    default:
      return 0;
  }
}
