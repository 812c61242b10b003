/**
 * Two runs are the same when the same things happened at the same times: a running hash over all of it, cheap
 * enough to be always on. It tells runs apart by accident only; nobody tries to deceive it.
 */

/** FNV-1a over words of four bytes. */
export function hashBytes(bytes: Uint8Array): number {
  let hash = 0x811c9dc5 ^ bytes.length;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    hash = Math.imul(hash ^ word, 0x01000193);
    hash ^= hash >>> 15;
  }
  for (let at = whole; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash >>> 0;
}

export class Fingerprint {
  #low = 0x9e3779b9;
  #high = 0x85ebca6b;

  mix(value: number): void {
    this.#low = Math.imul(this.#low ^ value, 0x01000193);
    this.#low ^= this.#low >>> 13;
    this.#high = (Math.imul(this.#high, 0x2c1b3c6d) + this.#low) | 0;
  }

  toString(): string {
    return hex(this.#high) + hex(this.#low);
  }
}

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, "0");
