/**
 * A program that has servers lead: one for each line that comes in, which names it by its number. It is there
 * before it is needed, so that an order takes no longer than the system does; it says for each what came of
 * it.
 */

import { createInterface } from "node:readline";

/** What it says when the server leads; anything else is why it does not. */
export const DONE = "done";

export async function takeHandOvers(handOver: (to: number) => Promise<string | null>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log((await handOver(Number(line))) ?? DONE);
  }
}
