/** Times and numbers, as the page says them. */

export function printMs(value: number): string {
  const size = Math.abs(value);
  return `${value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)} ms`;
}

/** Since the load began. */
export const printAt = (us: number): string => `${(us / 1e6).toFixed(3)} s`;

export const printSpan = (us: number): string =>
  us < 60e6 ? `${Math.ceil(us / 1e6)} s` : `${Math.floor(us / 60e6)} min ${Math.ceil((us % 60e6) / 1e6)} s`;

/** A role is a sign and a word, never a colour alone. */
export const SIGN = {
  unknown: "·",
  down: "✕",
  paused: "‖",
  looking: "?",
  following: "●",
  leading: "★",
} as const;
