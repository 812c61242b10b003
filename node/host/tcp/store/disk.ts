/**
 * The disk as the store sees it: one directory, a handful of operations, each of which can fail.
 *
 * It is an interface so that a test can be the disk: fail the third write, fill up, tear the last batch at a
 * crash. The real one does the writes on libuv's threads, because a disk that stalls must not stall the event
 * loop.
 */

import fs from "node:fs";
import path from "node:path";

/**
 * ZooKeeper's forceSync: with `none` a crash of the process loses nothing, one of the machine may lose
 * anything.
 */
export type Durability = "fsync" | "none";

export type WriteMode =
  /** A write is fulfilled when it is on the disk. */
  | "through"
  /** The same, onto a file that is there: what is not written stays as it is. */
  | "over"
  /** `sync` says so. */
  | "buffered";

export interface Disk {
  /** For people: where this is. */
  readonly directory: string;
  names(): readonly string[];
  /** Only at the start of a life, when there is nobody yet whom waiting would hurt. */
  open(name: string): DiskReader;
  create(name: string, mode: WriteMode): Promise<DiskFile>;
  truncate(name: string, size: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Makes names durable: created, renamed, removed. */
  sync(): Promise<void>;
}

export interface DiskFile {
  write(bytes: Uint8Array, position: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface DiskReader {
  readonly size: number;
  /** Fewer bytes than asked for only at the end of the file. */
  read(position: number, length: number): Uint8Array;
  close(): void;
}

/** What clients store is nobody else's business on this machine. */
const OWN_FOLDER = 0o700;
const OWN_FILE = 0o600;
const OTHERS = 0o077;

export function openDisk(directory: string, durability: Durability): Disk {
  const made = fs.mkdirSync(directory, { recursive: true, mode: OWN_FOLDER });
  if (durability === "fsync") keepFolder(directory, made ?? directory);
  // It may have been there before: restored by somebody, or made under an older habit. Whoever may not change
  // that does not own it, and had better not serve from it.
  if ((fs.statSync(directory).mode & OTHERS) !== 0) fs.chmodSync(directory, OWN_FOLDER);
  const at = (name: string): string => path.join(directory, name);
  return {
    directory,
    names: () => fs.readdirSync(directory),
    open: (name) => openReader(at(name)),
    create: (name, mode) => createFile(at(name), mode, durability),
    truncate: (name, size) => truncateFile(at(name), size, durability),
    rename: (from, to) => fs.promises.rename(at(from), at(to)),
    remove: (name) => fs.promises.rm(at(name), { force: true }),
    sync: () => (durability === "fsync" ? syncDirectory(directory) : Promise.resolve()),
  };
}

/**
 * O_DSYNC makes a write and its fdatasync one trip to the thread pool instead of two.
 */
async function createFile(file: string, mode: WriteMode, durability: Durability): Promise<DiskFile> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_DSYNC } = fs.constants;
  const isSynced = durability === "fsync";
  const handle = await fs.promises.open(
    file,
    O_WRONLY | (mode === "over" ? 0 : O_CREAT | O_TRUNC) | (isSynced && mode !== "buffered" ? O_DSYNC : 0),
    OWN_FILE,
  );
  return {
    write: (bytes, position) => writeAll(handle, bytes, position),
    sync: () => (isSynced && mode === "buffered" ? handle.datasync() : Promise.resolve()),
    close: () => handle.close(),
  };
}

/** A disk takes a part when it has no room for the rest, or was interrupted: the next write says which. */
async function writeAll(handle: fs.promises.FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  do {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  } while (done < bytes.length);
}

function openReader(file: string): DiskReader {
  const descriptor = fs.openSync(file, "r");
  const { size } = fs.fstatSync(descriptor);
  return {
    size,
    read(position, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - position)));
      let filled = 0;
      while (filled < bytes.length) {
        const count = fs.readSync(descriptor, bytes, filled, bytes.length - filled, position + filled);
        if (count === 0) return bytes.subarray(0, filled);
        filled += count;
      }
      return bytes;
    },
    close: () => fs.closeSync(descriptor),
  };
}

/**
 * A folder is durable when the one that it is in is: else all that was acknowledged goes with its name.
 * `made` is the first that was not there; `directory` itself may have been made by a process that died before
 * this.
 */
function keepFolder(directory: string, made: string): void {
  const above = path.dirname(path.resolve(made));
  for (let folder = path.resolve(directory); folder !== above; ) {
    folder = path.dirname(folder);
    const descriptor = openFolder(folder);
    if (descriptor === null) return;
    fs.fsyncSync(descriptor);
    fs.closeSync(descriptor);
  }
}

/** Null where this server may not look: then it made nothing there either. */
function openFolder(folder: string): number | null {
  try {
    return fs.openSync(folder, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EACCES") return null;
    throw error;
  }
}

async function truncateFile(file: string, size: number, durability: Durability): Promise<void> {
  await using handle = await fs.promises.open(file, "r+");
  await handle.truncate(size);
  if (durability === "fsync") await handle.sync();
}

async function syncDirectory(directory: string): Promise<void> {
  await using handle = await fs.promises.open(directory, "r");
  await handle.sync();
}
