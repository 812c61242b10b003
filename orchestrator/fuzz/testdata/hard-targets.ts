/**
 * Targets that show what fuzzing is good for: one that hangs, one that dies, one whose fault is well hidden.
 */

import type { Target } from "../target.ts";
import { open } from "./vault.ts";

const SEED = new Uint8Array(8);

const endless = (): Target => ({
  seeds: [SEED],
  feed(bytes) {
    for (let turns = 0; bytes[0] === 7; turns++) if (turns < 0) break;
  },
});

const deadly = (): Target => ({
  seeds: [SEED],
  feed(bytes) {
    if (bytes[0] === 7) process.exit(3);
  },
});

const hidden = (): Target => ({ seeds: [SEED], feed: open });

export const TARGETS = { endless, deadly, hidden };
