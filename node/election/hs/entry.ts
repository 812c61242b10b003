/** Hirschberg-Sinclair, as the catalog has it. */

import { overContest } from "../medium/contest-entry.ts";
import { hsRules, probeCodec } from "./hs.ts";

export const hs = overContest({
  rules: () => hsRules,
  codec: probeCodec,
  options: {},
  assumes: { failures: "crash-recovery", messages: "lossy", timing: "partially synchronous" },
  source:
    "Hirschberg, Sinclair: Decentralized Extrema-Finding in Circular Configurations of Processors, 1980",
  summary: "the greatest key among ever more neighbours on both sides of the ring",
});
