/**
 * The watches that a session's client remembers, as ZooKeeper's clients do: a server keeps them for a
 * connection only, so they are set again at the next one, with what the client has seen by then. No znode is
 * watched for its data and its children both.
 */

import { ERRORS } from "#node/wire/client/error.ts";
import type { ClientRequest } from "#node/wire/client/request.ts";
import type { SetWatches } from "#node/wire/client/watch.ts";

export class WatchBook {
  readonly #data = new Set<string>();
  /** Of znodes that were not there. */
  readonly #exist = new Set<string>();
  readonly #child = new Set<string>();

  /** A request was answered so. */
  answered(request: ClientRequest, error: number): void {
    const { kind } = request;
    if ((kind !== "getData" && kind !== "exists" && kind !== "getChildren") || !request.watch) return;
    if (error === ERRORS.ok) (kind === "getChildren" ? this.#child : this.#data).add(request.path);
    else if (request.kind === "exists" && error === ERRORS.noNode) this.#exist.add(request.path);
  }

  fired(path: string): void {
    for (const paths of [this.#data, this.#exist, this.#child]) paths.delete(path);
  }

  clear(): void {
    for (const paths of [this.#data, this.#exist, this.#child]) paths.clear();
  }

  /** Null when there is nothing to set. */
  request(relativeZxid: number): SetWatches | null {
    if (this.#data.size + this.#exist.size + this.#child.size === 0) return null;
    const lists = {
      data: [...this.#data],
      exist: [...this.#exist],
      child: [...this.#child],
      persistent: [],
      recursive: [],
    };
    return { kind: "setWatches", relativeZxid, ...lists };
  }
}
