/** A server's data folder while no server runs on it: read, copied, and gone on with by other records. */

import { randomBytes } from "node:crypto";
import { copyFileSync, linkSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { LogRecord, Recovered } from "#node/core/record.ts";
import { openDisk } from "#node/host/tcp/store/disk.ts";
import { Store } from "#node/host/tcp/store/store.ts";

export class DataFolder {
  readonly #store: Store;
  #appended = 0;
  #durable = 0;
  #broken: Error | null = null;
  #wake = (): void => {};

  static async open(folder: string): Promise<DataFolder> {
    let opened: DataFolder | null = null;
    const store = await Store.open({
      disk: openDisk(folder, "fsync"),
      salt: () => randomBytes(4).readUInt32BE(),
      durable: (upTo) => opened?.reached(upTo),
      failed: (reason) => opened?.fail(reason),
    });
    opened = new DataFolder(store);
    return opened;
  }

  private constructor(store: Store) {
    this.#store = store;
  }

  get recovered(): Recovered {
    return this.#store.recovered;
  }

  /** Returns when no more than `mayWait` records wait for the disk. */
  async append(records: readonly LogRecord[], mayWait = 0): Promise<void> {
    this.#store.append(records);
    this.#store.flush();
    this.#appended += records.length;
    while (this.#appended - this.#durable > mayWait) {
      if (this.#broken !== null) throw this.#broken;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  reached(upTo: number): void {
    this.#durable = upTo;
    this.#wake();
  }

  fail(reason: string): void {
    this.#broken = new Error(`the state cannot be written: ${reason}`);
    this.#wake();
  }
}

/**
 * A snapshot's file never changes once it has its name, so servers of one machine may share it: otherwise the
 * kernel would write a gigabyte in the background just when logs are to be synced. Logs are written over.
 */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from)) {
    if (name === "lock") continue;
    if (name.startsWith("snapshot.")) shareOrCopy(join(from, name), join(to, name));
    else copyFileSync(join(from, name), join(to, name));
  }
}

function shareOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Another file system.
    copyFileSync(from, to);
  }
}
