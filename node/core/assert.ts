/**
 * Two ways to say "this cannot happen".
 *
 * A replica that finds itself wrong must stop: the ensemble is built to survive a crash, not a liar.
 * Bytes from outside are never asserted about; they are parsed, and a bad parse is a value.
 */

/** A bug in this program, as opposed to a fault of the world. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Closes a switch over a union: the compiler proves that no member was forgotten. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`);
}
