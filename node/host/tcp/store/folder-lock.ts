/**
 * One server a folder: two that append to one log would each destroy what the other has acknowledged.
 *
 * The lock must go when its process does, however that dies, so it is the kernel's: a lock on a file, not a
 * file that says "locked". Node offers none but through SQLite, whose locks on an empty database are just
 * that (fcntl); they hold between containers too, unlike a name in a network namespace.
 */

import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

export class FolderLock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Throws, for people, when another server has the folder. */
  static take(folder: string): FolderLock {
    const file = path.join(folder, "lock");
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      // Nothing is ever written, so there is nothing to keep a journal of beside it.
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      // By its name: to open and close the file once more would let go of the lock.
      fs.chmodSync(file, 0o600);
    } catch (error) {
      database.close();
      if (!(error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY)) throw error;
      throw new Error(
        `${folder}: another server is running here. Stop it, or give this one its own dataDir.`,
      );
    }
    return new FolderLock(database);
  }

  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

const SQLITE_BUSY = 5;
