/** What happened in the tree and was not told yet, oldest first. */

import type { Zxid } from "../core/zxid.ts";
import type { Tree, TreeEvent } from "../tree/tree.ts";

export class Events {
  readonly #tree: Tree;
  #waiting: TreeEvent[] = [];

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Up to and with this zxid, or all: each is given once. */
  takeUpTo(zxid: Zxid | null): readonly TreeEvent[] {
    for (const event of this.#tree.takeEvents()) this.#waiting.push(event);
    if (this.#waiting.length === 0) return this.#waiting;
    const later = zxid === null ? -1 : this.#waiting.findIndex((event) => event.zxid > zxid);
    return this.#waiting.splice(0, later < 0 ? this.#waiting.length : later);
  }
}
