/**
 * A disk of one virtual machine, under the store that ships: sectors, a kernel before them, and names that
 * are safe when their folder is.
 *
 * Each operation takes its time on the agenda, and a life that ends never hears of what it left under way. It
 * goes on through crashes: a killed process leaves what the kernel has taken, a power cut what the medium
 * has, with any part of what was between, in which names go in their order.
 */

import type { Random } from "../../core/random.ts";
import { type Duration, microseconds } from "../../core/time.ts";
import type { Disk, DiskFile, DiskReader, WriteMode } from "../../host/tcp/store/disk.ts";
import type { Agenda } from "../../host/virtual/agenda.ts";
import type { Death } from "../../host/virtual/storage.ts";
import { Sectors } from "./sectors.ts";
import type { Settling } from "./settling.ts";

export interface SectorDiskShape {
  /** How long the medium takes, on the average. */
  readonly sync: Duration;
  /** A power cut may leave anything in a page that was being written, and not only old or new sectors. */
  readonly tears: boolean;
}

type Operation = "create" | "write" | "sync" | "rename" | "remove" | "truncate";

interface UnderWay {
  readonly operation: Operation;
  readonly name: string;
  /** What it does when it ends well. */
  readonly act: () => void;
  /** What it may have done when its process is gone, or the power. */
  readonly write: { readonly to: Sectors; readonly bytes: Uint8Array; readonly position: number } | null;
}

export class SectorDisk implements Disk {
  readonly directory: string;
  readonly #shape: SectorDiskShape;
  readonly #agenda: Agenda;
  readonly #random: Random;
  readonly #settling: Settling;
  /** As a process sees them, and as a power cut leaves them. */
  #names = new Map<string, Sectors>();
  #safeNames = new Map<string, Sectors>();
  /** What happened to names since the folder was synced. */
  #renaming: ((names: Map<string, Sectors>) => void)[] = [];
  #life = 0;
  readonly #underWay = new Set<UnderWay>();
  #stalled: string | null = null;
  #waiting: (() => void)[] = [];
  slowness = 1;
  isFull = false;
  /** Whatever is written or synced fails. */
  isFailing = false;
  /** What is said to be safe is not, until it is synced honestly. */
  lies = false;
  /** How often each kind of trouble showed. */
  readonly seen = { full: 0, failed: 0, torn: 0, stalled: 0, lied: 0 };

  constructor(directory: string, shape: SectorDiskShape, agenda: Agenda, random: Random, settling: Settling) {
    this.directory = directory;
    this.#shape = shape;
    this.#agenda = agenda;
    this.#random = random;
    this.#settling = settling;
  }

  /** Operations on files whose names begin so do not end before it is null again. */
  stall(names: string | null): void {
    this.#stalled = names;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const end of waiting) end();
  }

  crash(how: Death): void {
    this.#life += 1;
    const keeps = (): boolean => this.#random.chance(0.5);
    const underWay = [...this.#underWay];
    this.#underWay.clear();
    this.#waiting = [];
    if (how === "machine") this.#cutPower(underWay, keeps);
    else {
      for (const { act, write } of underWay) {
        if (write !== null) write.to.writeSome(write, keeps);
        else if (keeps()) act();
      }
    }
  }

  /** A new, empty disk. Only between lives. */
  wipe(): void {
    this.#names.clear();
    this.#safeNames.clear();
    this.#renaming = [];
  }

  /** For damage: what is in this file. */
  sectorsOf(name: string): Sectors {
    const sectors = this.#names.get(name);
    if (sectors === undefined) throw new Error(`ENOENT: no such file, ${name}`);
    return sectors;
  }

  names(): readonly string[] {
    return [...this.#names.keys()].sort();
  }

  open(name: string): DiskReader {
    const sectors = this.sectorsOf(name);
    return {
      size: sectors.size,
      read(position, length) {
        const bytes = sectors.read(position, length);
        if (bytes === null) throw new Error(`EIO: input/output error, read ${name}`);
        return bytes;
      },
      close: () => {},
    };
  }

  async create(name: string, mode: WriteMode): Promise<DiskFile> {
    const sectors = mode === "over" ? this.sectorsOf(name) : new Sectors();
    await this.#operate("create", name, 0, () => {
      if (mode !== "over") this.#rename((names) => names.set(name, sectors));
    });
    return this.#file(name, sectors, mode);
  }

  async truncate(name: string, size: number): Promise<void> {
    const sectors = this.sectorsOf(name);
    await this.#operate("truncate", name, 1, () => sectors.truncate(size));
  }

  async rename(from: string, to: string): Promise<void> {
    const sectors = this.sectorsOf(from);
    await this.#operate("rename", from, 0, () =>
      this.#rename((names) => {
        names.set(to, sectors);
        names.delete(from);
      }),
    );
  }

  remove(name: string): Promise<void> {
    return this.#operate("remove", name, 0, () => this.#rename((names) => names.delete(name)));
  }

  sync(): Promise<void> {
    return this.#operate("sync", "", 1, () => {
      for (const rename of this.#renaming.splice(0)) rename(this.#safeNames);
    });
  }

  #file(name: string, sectors: Sectors, mode: WriteMode): DiskFile {
    return {
      write: (bytes, position) => {
        const write = { bytes: bytes.slice(), position };
        const act = (): void => {
          sectors.write(write);
          if (mode !== "buffered") this.#keep(() => sectors.keep(write));
        };
        const to = { to: sectors, ...write };
        return this.#operate("write", name, mode === "buffered" ? 0 : 1, act, to);
      },
      sync: () =>
        mode === "buffered"
          ? this.#operate("sync", name, 1, () => this.#keep(() => sectors.sync()))
          : Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }

  #keep(keep: () => void): void {
    if (this.lies) this.seen.lied += 1;
    else keep();
  }

  #rename(rename: (names: Map<string, Sectors>) => void): void {
    rename(this.#names);
    this.#renaming.push(rename);
  }

  /** `syncs`: how often the medium is waited for. */
  #operate(
    operation: Operation,
    name: string,
    syncs: number,
    act: () => void,
    write: UnderWay["write"] = null,
  ): Promise<void> {
    const life = this.#life;
    const underWay = { operation, name, act, write };
    this.#underWay.add(underWay);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = (): void => {
      if (life !== this.#life) return;
      if (this.#stalled !== null && name.startsWith(this.#stalled)) {
        this.seen.stalled += 1;
        this.#waiting.push(end);
        return;
      }
      this.#underWay.delete(underWay);
      this.#settling.note();
      const failure = this.#failureOf(underWay);
      if (failure !== null) return reject(new Error(failure));
      act();
      resolve();
    };
    this.#agenda.after(this.#timeFor(syncs), end);
    return promise;
  }

  #failureOf({ operation, name, write }: UnderWay): string | null {
    const grows = write !== null && write.position + write.bytes.length > write.to.size;
    if (this.isFull && (operation === "create" || grows)) {
      this.seen.full += 1;
      return `ENOSPC: no space left on device, ${operation} ${name}`;
    }
    if (!this.isFailing || (operation !== "write" && operation !== "sync")) return null;
    this.seen.failed += 1;
    // The kernel has taken it and holds it for clean: it can be read, until the power goes.
    if (write !== null) {
      write.to.write(write);
      write.to.forget(write);
    }
    return `EIO: input/output error, ${operation} ${name}`;
  }

  #timeFor(syncs: number): Duration {
    const { sync } = this.#shape;
    const each = STEADY + (1 - STEADY) * this.#random.exponential();
    return microseconds(this.slowness * sync * (syncs === 0 ? KERNEL_SHARE : syncs) * each);
  }

  #cutPower(underWay: readonly UnderWay[], keeps: () => boolean): void {
    const kept = this.#random.integer(0, this.#renaming.length);
    for (const rename of this.#renaming.splice(0).slice(0, kept)) rename(this.#safeNames);
    const tears = (): boolean => {
      const torn = this.#shape.tears && this.#random.chance(0.3);
      if (torn) this.seen.torn += 1;
      return torn;
    };
    this.#names = new Map(this.#safeNames);
    for (const sectors of new Set(this.#names.values())) {
      const writes = underWay.flatMap(({ write }) => (write?.to === sectors ? [write] : []));
      sectors.cutPower(writes, keeps, tears);
    }
  }
}

const STEADY = 0.8;
/** What only the kernel does takes so much of a sync. */
const KERNEL_SHARE = 0.02;
