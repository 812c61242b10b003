/**
 * What reading bytes from outside gives: never an exception, for a peer's nonsense is no bug of this program.
 */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export const read = <T>(value: T): Result<T> => ({ ok: true, value });
export const refused = (reason: string): { readonly ok: false; readonly reason: string } => ({
  ok: false,
  reason,
});
