/**
 * Durations and numbers as people write them: `50ms`, `3`. A bare number of time is in
 * milliseconds, because in ZooKeeper's configuration files it is. What is wrong is said in one phrase that
 * ends with what would be right.
 */

import { type Duration, microseconds } from "../core/time.ts";

/** A value that a person wrote and that cannot be meant. */
export class WrongValue extends Error {
  override readonly name = "WrongValue";
}

const MICROSECONDS: Readonly<Record<string, number>> = { us: 1, ms: 1e3, "": 1e3, s: 1e6, m: 60e6 };

export function duration(text: string): Duration {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
  const scale = MICROSECONDS[unit.toLowerCase()];
  if (count === undefined || scale === undefined) throw new WrongValue("a duration such as 50ms, 2s or 1m");
  return microseconds(Number(count) * scale);
}

export const integer =
  (low: number, high: number) =>
  (text: string): number => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= low && value <= high) return value;
    throw new WrongValue(`a whole number from ${low} to ${high}`);
  };

export const oneOf =
  <const Name extends string>(names: readonly Name[]) =>
  (text: string): Name => {
    const found = names.find((name) => name === text);
    if (found !== undefined) return found;
    throw new WrongValue(`one of ${names.join(", ")}`);
  };
