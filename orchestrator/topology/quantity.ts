/**
 * Quantities as people write them: `20.75ms`, `2%`, `100mbit`. The unit is never optional, because a bare
 * `20` has been taken for seconds, milliseconds and microseconds by three tools in a row.
 */

import { type Duration, microseconds } from "#node/core/time.ts";

const NUMBER = "(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)";

export const DURATION = new RegExp(`^${NUMBER}\\s*(?:us|ms|s)$`);
export const PERCENTAGE = new RegExp(`^${NUMBER}\\s*%$`);
export const RATE = new RegExp(`^${NUMBER}\\s*(?:bit|kbit|mbit|gbit)$`);
export const SPREAD = new RegExp(`^${NUMBER}\\s*(?:us|ms|s|%)$`);

const MICROSECONDS: Readonly<Record<string, number>> = { us: 1, ms: 1e3, s: 1e6 };
const BITS: Readonly<Record<string, number>> = { bit: 1, kbit: 1e3, mbit: 1e6, gbit: 1e9 };

/** `text` matches DURATION. */
export const duration = (text: string): Duration => {
  const { count, unit } = split(text);
  return microseconds(count * (MICROSECONDS[unit] ?? Number.NaN));
};

/** `text` matches PERCENTAGE; 2 % is 0.02. */
export const fraction = (text: string): number => split(text).count / 100;

/** `text` matches RATE; bits per second, kilo being a thousand as in every network. */
export const bitsPerSecond = (text: string): number => {
  const { count, unit } = split(text);
  return count * (BITS[unit] ?? Number.NaN);
};

/** A spread is absolute (`200us`), or relative to the mean that it spreads (`2%`). */
export const spread = (text: string, mean: Duration): Duration =>
  PERCENTAGE.test(text) ? microseconds(fraction(text) * mean) : duration(text);

export function printRate(rate: number): string {
  if (!Number.isFinite(rate)) return "unlimited";
  const [unit, size] = Object.entries(BITS).findLast(([, bits]) => rate >= bits) ?? ["bit", 1];
  return `${Number((rate / size).toPrecision(6))}${unit}`;
}

function split(text: string): { count: number; unit: string } {
  const [, count = "", unit = ""] = /^([0-9.]+)\s*(\S+)$/.exec(text) ?? [];
  return { count: Number(count), unit };
}
