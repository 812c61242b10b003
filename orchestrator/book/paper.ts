/** The paper's experiments as a record: of each figure how many attempts count, and how many checks hold. */

import type { Provenance } from "../recording/provenance.ts";
import type { PaperFigure } from "../report/paper-report.ts";
import { type BookNumber, type BookRecord, originOf, questionFrom } from "./record.ts";

export function recordOfPaper(
  figures: readonly PaperFigure[],
  conditions: string,
  provenance: Provenance,
): BookRecord {
  const run = figures.filter(({ notRun }) => notRun === null);
  const counted = run.reduce((sum, { runs }) => sum + runs, 0);
  const others = figures.reduce((sum, one) => sum + one.discarded.length + one.superseded.length, 0);
  const numbers = run.flatMap(({ figure, checks, runs }): [string, BookNumber][] => {
    const held = checks.filter(({ holds }) => holds).length;
    const number = (value: number): BookNumber => ({
      unit: "",
      better: "more",
      values: [{ of: "1", value, atLeast: false }],
    });
    return [
      [`figure ${figure}: checks that hold`, number(held)],
      [`figure ${figure}: runs`, number(runs)],
    ];
  });
  const failing = run.flatMap(({ figure, checks }) =>
    checks.flatMap(({ what, holds }) => (holds ? [] : [`figure ${figure}: ${what}`])),
  );
  const notRun = figures.flatMap((one) =>
    one.notRun === null ? [] : [`figure ${one.figure}: ${one.notRun}`],
  );
  return {
    format: "polebench record 1",
    kind: "paper",
    what: conditions,
    question: questionFrom("paper", conditions, ...figures.map(({ figure }) => figure)),
    ...originOf(provenance),
    attempts: { made: counted + others, counted },
    validity: failing.length > 0 ? "invalid" : notRun.length > 0 || others > 0 ? "unknown" : "valid",
    reasons: [...failing, ...notRun],
    numbers: Object.fromEntries(numbers),
  };
}
