/** What is asked of an election by itself, as it was typed. */

import { type ElectionThreshold, parseElectionThreshold } from "../measure/members/threshold.ts";
import { RefusedInput } from "../terminal/problem.ts";

export function electionThresholdsOf(given: readonly string[]): readonly ElectionThreshold[] {
  return given.map((text) => {
    const parsed = parseElectionThreshold(text);
    if (typeof parsed === "string") throw new RefusedInput(`--threshold: ${parsed}`);
    return parsed;
  });
}
