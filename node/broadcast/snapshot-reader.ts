/**
 * Reads a snapshot chunk by chunk, knowing of each chunk whether it is the last; closes the snapshot after
 * that one.
 */

import type { Snapshot } from "../core/machine.ts";
import type { Zxid } from "../core/zxid.ts";

export interface Chunk {
  readonly index: number;
  readonly bytes: Uint8Array;
  readonly last: boolean;
}

export class SnapshotReader {
  readonly zxid: Zxid;
  readonly #snapshot: Snapshot;
  #ahead: Uint8Array | null;
  #index = 0;

  constructor(snapshot: Snapshot) {
    this.zxid = snapshot.zxid;
    this.#snapshot = snapshot;
    // An empty state is one empty chunk, so that there always is a last one.
    this.#ahead = snapshot.next() ?? new Uint8Array(0);
  }

  /** Not to be called after the last chunk. */
  read(): Chunk {
    const bytes = this.#ahead ?? new Uint8Array(0);
    this.#ahead = this.#snapshot.next();
    const last = this.#ahead === null;
    if (last) this.#snapshot.close();
    const index = this.#index;
    this.#index += 1;
    return { index, bytes, last };
  }

  close(): void {
    this.#snapshot.close();
  }
}
