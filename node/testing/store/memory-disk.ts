/**
 * A disk for tests: it forgets what a power cut would make a real one forget, and fails when it is told to.
 *
 * A write without O_DSYNC is durable after `sync`, a name after `sync` of the directory. What was under way
 * when the power went may be there in any part, sector by sector.
 */

import type { Disk, DiskFile, DiskReader, WriteMode } from "../../host/tcp/store/disk.ts";

const SECTOR = 512;
const PAGE = 4096;

interface Content {
  /** What a reader sees, and what would be left after a power cut. */
  seen: Uint8Array;
  durable: Uint8Array;
  /** Writes that a power cut may keep or lose, in part too. */
  loose: { readonly bytes: Uint8Array; readonly position: number }[];
}

type Operation = "create" | "write" | "sync" | "rename" | "remove" | "truncate";

export class MemoryDisk implements Disk {
  readonly directory = "disk";
  #names = new Map<string, Content>();
  #durableNames = new Map<string, Content>();
  #fault: ((operation: Operation, name: string) => Error | null) | null = null;
  #gate: ((name: string) => Promise<void> | null) | null = null;
  /** How many files are open for writing. */
  opened = 0;
  /** Every operation, in order, for tests that look at them. */
  readonly operations: string[] = [];

  /** Asked before every operation; what it returns is thrown. */
  failWhen(fault: ((operation: Operation, name: string) => Error | null) | null): void {
    this.#fault = fault;
  }

  /** Operations on these files stall from now on; the function returned lets them go on. */
  stall(stalls: (name: string) => boolean = () => true): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = (name) => (stalls(name) ? promise : null);
    return () => {
      this.#gate = null;
      resolve();
    };
  }

  /**
   * The power goes, and what was under way here never ends. Returns the disk as it is found afterwards;
   * `keeps` decides about each sector that was not safe, `tears` about each page that one of them is in.
   */
  cutPower(keeps: () => boolean, tears: () => boolean = () => false): MemoryDisk {
    this.#gate = never;
    const after = new MemoryDisk();
    for (const [name, { durable, loose }] of this.#durableNames) {
      const content: Content = { seen: durable.slice(), loose: [], durable };
      for (const write of loose) keepSome(content, write, keeps);
      for (const write of loose) tearSome(content, write, tears);
      content.durable = content.seen.slice();
      after.#names.set(name, content);
      after.#durableNames.set(name, content);
    }
    return after;
  }

  /**
   * The process is killed, and what was under way never ends for it. Its next life sees what the kernel had
   * taken, `keeps` says of each sector whether it had, and none of that is safe yet.
   */
  killProcess(keeps: () => boolean): MemoryDisk {
    this.#gate = never;
    const after = new MemoryDisk();
    const alive = new Map<Content, Content>();
    for (const [from, to] of [
      [this.#names, after.#names],
      [this.#durableNames, after.#durableNames],
    ] as const) {
      for (const [name, content] of from) {
        const same = alive.get(content) ?? taken(content, keeps);
        alive.set(content, same);
        to.set(name, same);
      }
    }
    return after;
  }

  /** The bytes of a file, to look at or to damage. */
  bytesOf(name: string): Uint8Array {
    return this.#content(name).seen;
  }

  /** The same files on another disk. */
  copy(): MemoryDisk {
    const copy = new MemoryDisk();
    for (const [name, { seen }] of this.#names) {
      const content: Content = { seen: seen.slice(), durable: seen.slice(), loose: [] };
      copy.#names.set(name, content);
      copy.#durableNames.set(name, content);
    }
    return copy;
  }

  names(): readonly string[] {
    return [...this.#names.keys()].sort();
  }

  open(name: string): DiskReader {
    const { seen } = this.#content(name);
    return {
      size: seen.length,
      read: (position, length) => seen.slice(position, position + length),
      close: () => {},
    };
  }

  async create(name: string, mode: WriteMode): Promise<DiskFile> {
    await this.#operate("create", name);
    const fresh: Content = { seen: new Uint8Array(0), durable: new Uint8Array(0), loose: [] };
    const content = mode === "over" ? this.#content(name) : fresh;
    this.#names.set(name, content);
    let isOpen = true;
    this.opened += 1;
    return {
      write: async (bytes, position) => {
        const write = { bytes: bytes.slice(), position };
        content.loose.push(write);
        await this.#operate("write", name);
        put(content, "seen", write.bytes, position);
        if (mode === "buffered") return;
        put(content, "durable", write.bytes, position);
        // Whatever an earlier life left in these pages went with them, or is overwritten.
        content.loose = content.loose.filter((other) => other !== write && !sharesPage(other, write));
      },
      sync: async () => {
        await this.#operate("sync", name);
        content.durable = content.seen.slice();
        content.loose = [];
      },
      close: async () => {
        if (isOpen) this.opened -= 1;
        isOpen = false;
      },
    };
  }

  async truncate(name: string, size: number): Promise<void> {
    await this.#operate("truncate", name);
    const content = this.#content(name);
    content.seen = content.seen.slice(0, size);
    content.durable = content.seen.slice();
    content.loose = [];
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#operate("rename", from);
    this.#names.set(to, this.#content(from));
    this.#names.delete(from);
  }

  async remove(name: string): Promise<void> {
    await this.#operate("remove", name);
    this.#names.delete(name);
    this.#durableNames.delete(name);
  }

  async sync(): Promise<void> {
    await this.#operate("sync", ".");
    this.#durableNames = new Map(this.#names);
  }

  async #operate(operation: Operation, name: string): Promise<void> {
    this.operations.push(`${operation} ${name}`);
    await this.#gate?.(name);
    const error = this.#fault?.(operation, name) ?? null;
    if (error !== null) throw error;
  }

  #content(name: string): Content {
    const content = this.#names.get(name);
    if (content === undefined) throw new Error(`ENOENT: no such file, ${name}`);
    return content;
  }
}

const never = (): Promise<never> => new Promise(() => {});

type Write = Content["loose"][number];

/** Each sector of a write may have arrived or not; returns those that have. */
function keepSome(content: Content, { bytes, position }: Write, keeps: () => boolean): Write[] {
  const kept: Write[] = [];
  for (let at = 0; at < bytes.length; at += SECTOR) {
    if (keeps()) kept.push({ bytes: bytes.subarray(at, at + SECTOR), position: position + at });
  }
  for (const sector of kept) put(content, "seen", sector.bytes, sector.position);
  return kept;
}

/** What the kernel has of a file, when its writer is gone. */
function taken({ seen, durable, loose }: Content, keeps: () => boolean): Content {
  const content: Content = { seen: seen.slice(), durable: durable.slice(), loose: [] };
  content.loose = loose.flatMap((write) => keepSome(content, write, keeps));
  return content;
}

function sharesPage(one: Write, other: Write): boolean {
  const first = ({ position }: Write): number => Math.floor(position / PAGE);
  const last = ({ position, bytes }: Write): number => Math.floor((position + bytes.length - 1) / PAGE);
  return first(one) <= last(other) && first(other) <= last(one);
}

/** A page that was being written may hold anything, also where it was not to change. */
function tearSome(content: Content, { bytes, position }: Write, tears: () => boolean): void {
  const end = Math.min(position + bytes.length, content.seen.length);
  for (let page = position - (position % PAGE); page < end; page += PAGE) {
    if (tears()) content.seen.subarray(page, page + PAGE).fill(0xa5);
  }
}

function put(content: Content, which: "seen" | "durable", bytes: Uint8Array, position: number): void {
  const old = content[which];
  if (old.length < position + bytes.length) {
    content[which] = new Uint8Array(position + bytes.length);
    content[which].set(old);
  }
  content[which].set(bytes, position);
}
