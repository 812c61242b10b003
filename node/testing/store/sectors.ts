/**
 * The bytes of one file on a disk that pretends: what a reader sees, what would be left after a power cut,
 * and the writes between the two, of which a power cut may keep any sector.
 */

const SECTOR = 512;
const PAGE = 4096;

interface Write {
  readonly bytes: Uint8Array;
  readonly position: number;
}

/** Chance decides, for each sector or page anew. */
export type Chance = () => boolean;

export class Sectors {
  #seen: Uint8Array = new Uint8Array(0);
  #durable: Uint8Array = new Uint8Array(0);
  /** Written and not safe. */
  #loose: Write[] = [];
  /** Sectors that the medium does not give back any more. */
  readonly #unreadable = new Set<number>();

  get size(): number {
    return this.#seen.length;
  }

  get isSafe(): boolean {
    return this.#loose.length === 0;
  }

  /** Null where a sector cannot be read. */
  read(position: number, length: number): Uint8Array | null {
    const end = Math.min(position + length, this.#seen.length);
    for (let at = position - (position % SECTOR); at < end; at += SECTOR) {
      if (this.#unreadable.has(at / SECTOR)) return null;
    }
    return this.#seen.slice(position, position + length);
  }

  /** The kernel has it. */
  write(write: Write): void {
    this.#seen = withBytes(this.#seen, write);
    this.#loose.push(write);
  }

  /** The medium has it, and with it whatever else was written to these pages. */
  keep(write: Write): void {
    this.#durable = withBytes(this.#durable, write);
    this.#loose = this.#loose.filter((other) => other !== write && !sharesPage(other, write));
    for (let at = write.position; at < write.position + write.bytes.length; at += SECTOR)
      this.#unreadable.delete(Math.floor(at / SECTOR));
  }

  /** The medium has all that the kernel has. */
  sync(): void {
    if (this.#loose.length === 0 && this.#durable.length === this.#seen.length) return;
    this.#durable = this.#seen.slice();
    this.#loose = [];
  }

  /** The medium refused: the kernel has it, takes it for clean, and never writes it again. */
  forget(write: Write): void {
    this.#loose = this.#loose.filter((other) => other !== write);
  }

  truncate(size: number): void {
    this.#seen = this.#seen.slice(0, size);
    this.#durable = this.#seen.slice();
    this.#loose = [];
  }

  /** Part of a write reached the kernel before its process was gone. */
  writeSome(write: Write, keeps: Chance): void {
    for (const sector of sectorsOf(write)) if (keeps()) this.write(sector);
  }

  /** What a power cut leaves, of a write under way too. */
  cutPower(underWay: readonly Write[], keeps: Chance, tears: Chance): void {
    this.#seen = this.#durable.slice();
    const loose = [...this.#loose, ...underWay];
    for (const write of loose) {
      for (const sector of sectorsOf(write)) if (keeps()) this.#seen = withBytes(this.#seen, sector);
    }
    for (const write of loose) this.#tear(write, tears);
    this.#durable = this.#seen.slice();
    this.#loose = [];
  }

  /** One bit of what is there turns over; or its sector cannot be read any more. */
  damage(position: number, how: "flipped" | "unreadable"): void {
    if (how === "unreadable") {
      this.#unreadable.add(Math.floor(position / SECTOR));
      return;
    }
    for (const bytes of [this.#seen, this.#durable]) {
      if (position < bytes.length) bytes[position] = (bytes[position] as number) ^ 0x40;
    }
  }

  /** A page that was being written may hold anything, also where it was not to change. */
  #tear({ position, bytes }: Write, tears: Chance): void {
    const end = Math.min(position + bytes.length, this.#seen.length);
    for (let page = position - (position % PAGE); page < end; page += PAGE) {
      if (tears()) this.#seen.subarray(page, page + PAGE).fill(0xa5);
    }
  }
}

function* sectorsOf({ bytes, position }: Write): Generator<Write> {
  for (let at = 0; at < bytes.length; at += SECTOR) {
    yield { bytes: bytes.subarray(at, at + SECTOR), position: position + at };
  }
}

function sharesPage(one: Write, other: Write): boolean {
  const first = ({ position }: Write): number => Math.floor(position / PAGE);
  const last = ({ position, bytes }: Write): number => Math.floor((position + bytes.length - 1) / PAGE);
  return first(one) <= last(other) && first(other) <= last(one);
}

function withBytes(old: Uint8Array, { bytes, position }: Write): Uint8Array {
  const size = position + bytes.length;
  let content = old;
  if (content.length < size) {
    content = new Uint8Array(size);
    content.set(old);
  }
  content.set(bytes, position);
  return content;
}
