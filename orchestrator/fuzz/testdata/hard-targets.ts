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

const slow = (): Target => ({
  seeds: [SEED],
  feed(bytes) {
    const before = process.threadCpuUsage();
    for (let spent = 0; bytes[0] === 7 && spent < 1.1e6; ) {
      const { user, system } = process.threadCpuUsage(before);
      spent = user + system;
    }
  },
});

const growing = (): Target => {
  const kept: number[][] = [];
  return { seeds: [SEED], feed: () => void kept.push(Array.from({ length: 20_000 }, (_, at) => at / 2)) };
};

const hidden = (): Target => ({ seeds: [SEED], feed: open });

export const TARGETS = { endless, deadly, slow, growing, hidden };
