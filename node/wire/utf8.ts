/**
 * UTF-8 by hand, because pure code has no TextEncoder. Strict in both directions (RFC 3629): no surrogates,
 * no overlong forms, nothing beyond U+10FFFF; a lone surrogate is written as U+FFFD, as everybody does.
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
export function utf8String(bytes: Uint8Array): string | null {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    const size =
      first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (size === 0 || at + size > bytes.length) return null;
    let code = size === 1 ? first : first & (0x7f >> size);
    for (let next = at + 1; next < at + size; next++) {
      const byte = bytes[next] as number;
      if ((byte & 0xc0) !== 0x80) return null;
      code = (code << 6) | (byte & 0x3f);
    }
    if (code < (SMALLEST[size] as number) || code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff))
      return null;
    text += String.fromCodePoint(code);
    at += size;
  }
  return text;
}

const tail = (code: number): number => 0x80 | (code & 0x3f);

/** The smallest code point that needs so many bytes. */
const SMALLEST = [0, 0, 0x80, 0x800, 0x1_0000] as const;
