/**
 * Bytes that follow each other and lie apart, so that what is large need not be copied to be told.
 */

export type Pieces = readonly Uint8Array[];

export const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** One after the other; a single one is not copied. */
export function joined(pieces: Pieces): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  const whole = new Uint8Array(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
