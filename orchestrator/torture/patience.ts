/** How long a run waits for what, and ways of waiting. */

import { setTimeout as delay } from "node:timers/promises";

/**
 * For the first ensemble to serve, and for everything that is there before the first fault: no property of
 * the servers, so long where many tests share a machine.
 */
export const FURNISH_MS = 120_000;
/** For the ensemble to serve again at all. */
export const MENDED_MS = 40_000;
/**
 * For reading everything at the end, which is the tester's own work: long where many tests share a machine.
 */
export const LAST_LOOK_MS = 180_000;
export const AGAIN_MS = 20;
const AT_ONCE = 64;

/** Asks until there is an answer. */
export async function answered<Result>(ask: () => Promise<Result | null>): Promise<Result> {
  for (;;) {
    const result = await ask();
    if (result !== null) return result;
    await delay(AGAIN_MS);
  }
}

export const within = <Result>(ms: number, work: Promise<Result>): Promise<Result | null> =>
  Promise.race([work, delay(ms, null)]);

export async function atOnce<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    await Promise.all(items.slice(from, from + AT_ONCE).map((item) => act(item)));
  }
}
