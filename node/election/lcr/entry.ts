/** LCR, as the catalog has it. */

import { NOTHING_MORE, overContest } from "../medium/contest-entry.ts";
import { lcrRules } from "./lcr.ts";

export const lcr = overContest({
  rules: () => lcrRules,
  codec: NOTHING_MORE,
  options: {},
  assumes: { failures: "crash-recovery", messages: "lossy", timing: "partially synchronous" },
  source: "Chang, Roberts: An Improved Algorithm for Decentralized Extrema-Finding, 1979, after Le Lann 1977",
  summary: "the greatest key goes all around the ring, smaller ones until they meet a greater",
});
