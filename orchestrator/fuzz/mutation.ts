/**
 * Inputs that are almost right: a good one with a few things wrong. Random bytes alone end at the first
 * check; what breaks parsers is what passes the first nine.
 */

import type { Random } from "#node/core/random.ts";

/** Lengths and counts as they go wrong: none, one less, the largest, the sign. */
const NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff] as const;
/** No input is longer. */
export const LONGEST = 1 << 16;

export function mutated(seeds: readonly Uint8Array[], random: Random): Uint8Array {
  let bytes: Uint8Array = random.pick(seeds).slice();
  for (let changes = random.integer(1, 4); changes > 0; changes--) bytes = changed(bytes, seeds, random);
  return bytes.length > LONGEST ? bytes.subarray(0, LONGEST) : bytes;
}

function changed(bytes: Uint8Array, seeds: readonly Uint8Array[], random: Random): Uint8Array {
  const at = random.integer(0, Math.max(0, bytes.length - 1));
  switch (random.integer(0, 7)) {
    case 0:
      if (bytes.length > 0) bytes[at] = (bytes[at] as number) ^ (1 << random.integer(0, 7));
      return bytes;
    case 1:
      if (bytes.length > 0) bytes[at] = random.integer(0, 255);
      return bytes;
    case 2:
      if (bytes.length >= at + 4) put(bytes, at, random.pick(NUMBERS));
      return bytes;
    case 3:
      return bytes.slice(0, at);
    case 4:
      return joined(bytes.subarray(0, at), bytes.subarray(at + random.integer(1, 8)));
    case 5:
      return joined(bytes.subarray(0, at), noise(random), bytes.subarray(at));
    case 6: {
      const other = random.pick(seeds);
      return joined(bytes.subarray(0, at), other.subarray(random.integer(0, other.length)));
    }
    default: {
      const part = bytes.subarray(at, at + random.integer(1, 64));
      return joined(bytes.subarray(0, at), part, part, bytes.subarray(at));
    }
  }
}

const put = (bytes: Uint8Array, at: number, value: number): void =>
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, value);

const noise = (random: Random): Uint8Array =>
  Uint8Array.from({ length: random.integer(1, 16) }, () => random.integer(0, 255));

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
