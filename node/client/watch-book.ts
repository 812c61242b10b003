/**
 * The watches that a client remembers: a server keeps them for a connection only, so they are set again at
 * the next one, with what the client has seen by then. What changed meanwhile fires there at once.
 */

import { ERRORS } from "../wire/client/error.ts";
import type { ClientRequest } from "../wire/client/request.ts";
import { ADD_WATCH_MODES, EVENT_TYPES, type SetWatches, WATCH_TYPE } from "../wire/client/watch.ts";

const LISTS = ["data", "exist", "child", "persistent", "recursive"] as const;
type List = (typeof LISTS)[number];

/** Characters of paths in one request: far below the longest frame, as Java's client has it. */
const MOST_CHARACTERS = 128 * 1024;

export class WatchBook {
  /** `exist` are those on znodes that were not there. */
  readonly #paths: Readonly<Record<List, Set<string>>> = {
    data: new Set(),
    exist: new Set(),
    child: new Set(),
    persistent: new Set(),
    recursive: new Set(),
  };

  /** A request was answered so. */
  answered(request: ClientRequest, error: number): void {
    switch (request.kind) {
      case "exists":
        if (!request.watch) break;
        if (error === ERRORS.ok) this.#paths.data.add(request.path);
        else if (error === ERRORS.noNode) this.#paths.exist.add(request.path);
        break;
      case "getData":
        if (request.watch && error === ERRORS.ok) this.#paths.data.add(request.path);
        break;
      case "getChildren":
      case "getChildren2":
        if (request.watch && error === ERRORS.ok) this.#paths.child.add(request.path);
        break;
      case "addWatch": {
        const mode = ADD_WATCH_MODES[request.mode];
        if (mode !== undefined && error === ERRORS.ok) this.#paths[mode].add(request.path);
        break;
      }
      case "removeWatches":
        if (error === ERRORS.ok) this.#remove(request.path, request.type);
        break;
      default:
    }
  }

  /** Persistent ones fire again. */
  fired(type: number, path: string): void {
    const { created, deleted, dataChanged, childrenChanged } = EVENT_TYPES;
    if (type === created || type === dataChanged || type === deleted) {
      this.#paths.data.delete(path);
      this.#paths.exist.delete(path);
    }
    if (type === childrenChanged || type === deleted) this.#paths.child.delete(path);
  }

  clear(): void {
    for (const list of LISTS) this.#paths[list].clear();
  }

  /** Of as many requests as it takes; none when nothing is watched. */
  requests(relativeZxid: number): SetWatches[] {
    const { persistent, recursive } = this.#paths;
    const kind = persistent.size + recursive.size > 0 ? "setWatches2" : "setWatches";
    const requests: SetWatches[] = [];
    let lists: Record<List, string[]> = noPaths();
    let characters = 0;
    const finish = (): void => {
      if (characters > 0) requests.push({ kind, relativeZxid, ...lists });
      [lists, characters] = [noPaths(), 0];
    };
    for (const list of LISTS) {
      for (const path of this.#paths[list]) {
        lists[list].push(path);
        characters += path.length;
        if (characters >= MOST_CHARACTERS) finish();
      }
    }
    finish();
    return requests;
  }

  #remove(path: string, type: number): void {
    const { data, exist, child, persistent, recursive } = this.#paths;
    if (type !== WATCH_TYPE.children) for (const paths of [data, exist]) paths.delete(path);
    if (type !== WATCH_TYPE.data) child.delete(path);
    if (type === WATCH_TYPE.any) for (const paths of [persistent, recursive]) paths.delete(path);
  }
}

const noPaths = (): Record<List, string[]> => ({
  data: [],
  exist: [],
  child: [],
  persistent: [],
  recursive: [],
});
