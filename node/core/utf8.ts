/**
 * UTF-8 by hand, because pure code has no TextEncoder. Strict in both directions (RFC 3629): no surrogates,
 * no overlong forms, nothing beyond U+10FFFF. A lone surrogate is written as U+FFFD, as everybody does; what
 * cannot be read is nothing to servers, and U+FFFD in what clients send, as they are used to.
 */

const REPLACEMENT = 0xfffd;

export function utf8Bytes(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const found = character.codePointAt(0) as number;
    const code = found >= 0xd800 && found <= 0xdfff ? REPLACEMENT : found;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code));
    else if (code < 0x1_0000) bytes.push(0xe0 | (code >> 12), tail(code >> 6), tail(code));
    else bytes.push(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code));
  }
  return Uint8Array.from(bytes);
}

/** Null when the bytes are not UTF-8. */
export const utf8String = (bytes: Uint8Array): string | null => decode(bytes, null);

/** What is not UTF-8 becomes U+FFFD, which no path may contain. */
export const utf8Text = (bytes: Uint8Array): string => decode(bytes, REPLACEMENT) ?? "";

/** `wrong` stands for a byte that begins no character; where there is none, nothing is read. */
function decode(bytes: Uint8Array, wrong: number | null): string | null {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    if (first < 0x80) {
      const end = asciiEnd(bytes, at);
      text += String.fromCharCode.apply(null, bytes.subarray(at, end) as unknown as number[]);
      at = end;
      continue;
    }
    const size = sizeOf(first);
    const found = size === 0 ? -1 : codePoint(bytes, at, size);
    const code = found < 0 ? wrong : found;
    if (code === null) return null;
    text += String.fromCodePoint(code);
    at += found < 0 ? 1 : size;
  }
  return text;
}

/** Of a character that is not ASCII; 0 where none begins. */
const sizeOf = (first: number): number =>
  first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

/** -1 when the bytes are no character: cut off, overlong, a surrogate, or beyond U+10FFFF. */
function codePoint(bytes: Uint8Array, at: number, size: number): number {
  if (at + size > bytes.length) return -1;
  let code = (bytes[at] as number) & (0x7f >> size);
  for (let next = at + 1; next < at + size; next++) {
    const byte = bytes[next] as number;
    if ((byte & 0xc0) !== 0x80) return -1;
    code = (code << 6) | (byte & 0x3f);
  }
  const valid =
    code >= (SMALLEST[size] as number) && code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? code : -1;
}

/** Where a run of ASCII ends, or 4096 bytes on: `apply` takes only so many arguments. */
function asciiEnd(bytes: Uint8Array, start: number): number {
  const most = Math.min(bytes.length, start + 4096);
  let end = start;
  while (end < most && (bytes[end] as number) < 0x80) end += 1;
  return end;
}

const tail = (code: number): number => 0x80 | (code & 0x3f);

/** The smallest code point that needs so many bytes. */
const SMALLEST = [0, 0, 0x80, 0x800, 0x1_0000] as const;
