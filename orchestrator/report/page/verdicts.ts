/**
 * Whether a run counts, whether it passed, and what was expected of it: the same for every kind of subject.
 */

import type { Verdict } from "../../check/verdict.ts";
import type { Expectation } from "../../measure/expectations.ts";
import { printMeasured, type ThresholdOutcome } from "../../measure/threshold.ts";
import { table } from "./markup.ts";
import { badge, isMet, isPassed, type Section } from "./page.ts";

interface Judged {
  readonly verdict: Verdict;
  readonly thresholds: readonly ThresholdOutcome[];
  readonly expectations: readonly Expectation[];
}

export function verdicts({ verdict, thresholds, expectations }: Judged): Section {
  return {
    title: "Verdict",
    content: [
      table(
        ["property", "verdict", "looked at", ""],
        verdict.findings.map(({ property, judgement, operations, reasons }) => [
          property,
          badge(judgement),
          operations,
          reasons.join("; "),
        ]),
        "text",
      ),
      ...(thresholds.length === 0
        ? []
        : [
            table(
              ["threshold", "", "measured"],
              thresholds.map(({ text, passed, ...found }) => [text, isPassed(passed), printMeasured(found)]),
              "text",
            ),
          ]),
      ...(expectations.length === 0
        ? []
        : [
            table(
              ["expected, but not demanded", "", "found"],
              expectations.map(({ what, met, found }) => [what, isMet(met), found]),
              "text",
            ),
          ]),
    ],
  };
}
