/** Several lives on one testbed, one after the other: in a part of each nobody lives. */

/** Of the time from one beginning to the next. */
const REST = 0.1;
/** Nobody begins so much too early, of that time. */
const HASTE = REST / 2;

/** From one beginning to the next, in microseconds. */
export const everyOf = (duration: number): number => Math.ceil(duration / (1 - REST));

/** In which life it happened, from 0. */
export const lifeAt = (at: number, every: number): number => Math.floor((at + every * HASTE) / every);
