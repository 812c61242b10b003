/**
 * One number for a whole table, without reading the whole table.
 *
 * Every row has a hash of its own, and the table's digest is their sum: it does not depend on the order of
 * rows. A change only marks its row; asking for the digest hashes the marked rows anew. So a replica that is
 * never asked pays a bit a row, and one that is asked at every step pays for what changed in the step.
 */

const INITIAL_ROWS = 16;

/**
 * Two lanes of 32 bits, mixed after Murmur's finalizer: good enough to tell states apart, no good against an
 * enemy.
 */
export class Hash {
  #a = 0;
  #b = 0;

  begin(): this {
    this.#a = 0x9e37_79b9;
    this.#b = 0x85eb_ca6b;
    return this;
  }

  int(value: number): this {
    this.#a = Math.imul(this.#a ^ value, 0x9e37_79b1);
    this.#a ^= this.#a >>> 15;
    this.#b = Math.imul(this.#b ^ value, 0x85eb_ca77);
    this.#b ^= this.#b >>> 13;
    return this;
  }

  /** A whole number of up to 53 bits. */
  number(value: number): this {
    return this.int(value | 0).int(Math.floor(value / 2 ** 32) | 0);
  }

  text(text: string): this {
    this.int(text.length);
    // charCodeAt gives NaN beyond the end, which counts as 0 in a bitwise or.
    for (let at = 0; at < text.length; at += 2)
      this.int(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
    return this;
  }

  bytes(bytes: Uint8Array | null): this {
    if (bytes === null) return this.int(-1);
    this.int(bytes.length);
    const whole = bytes.length & ~3;
    for (let at = 0; at < whole; at += 4) this.int(word(bytes, at));
    for (let at = whole; at < bytes.length; at++) this.int(bytes[at] as number);
    return this;
  }

  get first(): number {
    return finalize(this.#a);
  }

  get second(): number {
    return finalize(this.#b ^ 0x27d4_eb2f);
  }
}

export class TableDigest {
  readonly #hashRow: (row: number, hash: Hash) => boolean;
  readonly #hash = new Hash();
  readonly #changed: number[] = [];
  #marks = new Uint8Array(INITIAL_ROWS);
  /** Two numbers a row: what of it is in the sums. */
  #hashes = new Int32Array(2 * INITIAL_ROWS);
  #first = 0;
  #second = 0;

  /** `hashRow` feeds the contents of a row to the hash, or says false of a vacant one. */
  constructor(hashRow: (row: number, hash: Hash) => boolean) {
    this.#hashRow = hashRow;
  }

  changing(row: number): void {
    if (row >= this.#marks.length) this.#grow(row);
    if (this.#marks[row] === 1) return;
    this.#marks[row] = 1;
    this.#changed.push(row);
  }

  take(): string {
    for (const row of this.#changed) {
      this.#marks[row] = 0;
      const present = this.#hashRow(row, this.#hash.begin());
      this.#put(row, present ? this.#hash.first : 0, present ? this.#hash.second : 0);
    }
    this.#changed.length = 0;
    return hex(this.#first) + hex(this.#second);
  }

  #put(row: number, first: number, second: number): void {
    this.#first = (this.#first - (this.#hashes[2 * row] as number) + first) | 0;
    this.#second = (this.#second - (this.#hashes[2 * row + 1] as number) + second) | 0;
    this.#hashes[2 * row] = first;
    this.#hashes[2 * row + 1] = second;
  }

  #grow(row: number): void {
    const [marks, hashes] = [this.#marks, this.#hashes];
    const rows = Math.max(row + 1, 2 * marks.length);
    this.#marks = new Uint8Array(rows);
    this.#hashes = new Int32Array(2 * rows);
    this.#marks.set(marks);
    this.#hashes.set(hashes);
  }
}

const word = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) << 24) |
  ((bytes[at + 1] as number) << 16) |
  ((bytes[at + 2] as number) << 8) |
  (bytes[at + 3] as number);

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, "0");

function finalize(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}
