/** What an alarm and its thread share: when to ring, and a count that wakes the thread when that changes. */

export interface AlarmMemory {
  readonly due: BigInt64Array<SharedArrayBuffer>;
  readonly changes: Int32Array<SharedArrayBuffer>;
}

/** The instant of an alarm that is not set. */
export const NEVER = -1n;

export function alarmMemory(): AlarmMemory {
  const bytes = new SharedArrayBuffer(12);
  const due = new BigInt64Array(bytes, 0, 1).fill(NEVER);
  return { due, changes: new Int32Array(bytes, 8, 1) };
}
