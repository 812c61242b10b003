/**
 * Microseconds of the machine's monotonic clock: unlike `performance.now()` it has the same zero in every
 * process, so that one can say when it killed a server and another when it was answered again.
 */

// The first use of either clock loads it, which takes milliseconds: read both once before they are compared.
const offset = (): number => Number(process.hrtime.bigint()) / 1e3 - performance.now() * 1e3;
offset();
const zero = offset();

export const monotonic = (): number => Math.round(zero + performance.now() * 1e3);
