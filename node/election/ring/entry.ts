/** The ring election with initiators, as the catalog has it. */

import { overContest } from "../medium/contest-entry.ts";
import type { Schema } from "../options.ts";
import { runCodec, runRules } from "./ring.ts";

const OPTIONS = {
  initiatorCache: {
    kind: "switch",
    default: true,
    sentence: "tokens of lower initiators end; no: the flag rule, who has taken part drops smaller tokens",
    drawn: [true, false],
  },
} as const satisfies Schema;

export const ring = overContest({
  rules: ({ initiatorCache }, { mutant }) => runRules({ initiatorCache, mutant }),
  codec: runCodec,
  options: OPTIONS,
  assumes: { failures: "crash-recovery", messages: "lossy", timing: "partially synchronous" },
  source: "Chang, Roberts, 1979, in the form of the lecture of Misra, IIT Patna",
  summary: "who notices sends a token around the ring, and it grows on its way",
});
