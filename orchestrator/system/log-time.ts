/** From the time of day in another system's log to the monotonic clock of all that is recorded. */

/** Microseconds since 1970, less the machine's monotonic clock; both go at one pace for the time of a run. */
const WALL_AHEAD = Date.now() * 1e3 - Number(process.hrtime.bigint() / 1000n);
/** Times are cut off after the millisecond: its end is taken, so that nothing comes before its cause. */
const MILLISECOND = 999;

/** In microseconds. */
export const monotonicOf = (timeOfDay: string): number =>
  Date.parse(timeOfDay) * 1e3 + MILLISECOND - WALL_AHEAD;
