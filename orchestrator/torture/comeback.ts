/** How long after everything was mended the first server serves again, and the last. */

import { setTimeout as delay } from "node:timers/promises";
import { AGAIN_MS } from "./patience.ts";

export class Comeback {
  firstMs = Infinity;
  allMs = Infinity;

  /** Everything is mended now: of each server it is tried until it succeeds. */
  async of(attempts: readonly (() => Promise<boolean>)[]): Promise<true> {
    const mended = performance.now();
    await Promise.all(
      attempts.map(async (serves) => {
        while (!(await serves())) await delay(AGAIN_MS);
        this.firstMs = Math.min(this.firstMs, performance.now() - mended);
      }),
    );
    this.allMs = performance.now() - mended;
    return true;
  }
}
