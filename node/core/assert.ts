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

/**
 * On a path taken often, the message is a function: a string made for every success would cost more than the
 * rest.
 */
export function assert(condition: boolean, message: string | (() => string)): asserts condition {
  if (condition) return;
  throw new AssertionError(typeof message === "string" ? message : message());
}

/** Closes a switch over a union: the compiler proves that no member was forgotten. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`);
}
