/**
 * Time comes in through the door: nothing in a pure folder can ask for it.
 *
 * An instant is a whole number of microseconds since its host started, on a clock that never goes back; a
 * duration is the difference of two. Whole numbers, so that a virtual run is the same on every machine, and
 * branded, so that a bare number is never taken for either. The time of day is a third thing and exists only
 * to stamp transactions.
 */

declare const unit: unique symbol;

export type Instant = number & { readonly [unit]: "instant, microseconds" };
export type Duration = number & { readonly [unit]: "duration, microseconds" };
/** Milliseconds since 1970, as ZooKeeper's stats carry it. */
export type TimeOfDay = number & { readonly [unit]: "time of day, milliseconds" };

export const microseconds = (count: number): Duration => Math.round(count) as Duration;
export const milliseconds = (count: number): Duration => Math.round(count * 1e3) as Duration;
export const seconds = (count: number): Duration => Math.round(count * 1e6) as Duration;

export const instant = (microsecondsSinceStart: number): Instant =>
  Math.round(microsecondsSinceStart) as Instant;
export const timeOfDay = (millisecondsSince1970: number): TimeOfDay =>
  Math.round(millisecondsSince1970) as TimeOfDay;

export const after = (start: Instant, duration: Duration): Instant => (start + duration) as Instant;
export const between = (earlier: Instant, later: Instant): Duration => (later - earlier) as Duration;

export const toMilliseconds = (duration: Duration): number => duration / 1e3;
export const toSeconds = (duration: Duration): number => duration / 1e6;
