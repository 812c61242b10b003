/** A tortured run as a record of the book, also one that broke. */

import { originOf, type BookNumber, type BookRecord, questionFrom } from "../book/record.ts";
import type { Broken, Recorded } from "./record.ts";

export function recordOfTorture(
  run: Recorded | Broken,
  environment: Readonly<Record<string, string>>,
): BookRecord {
  const { seed, topology, system, election, mutant } = run;
  const asked = [system, ...(election === undefined ? [] : [election]), ...(mutant === null ? [] : [mutant])];
  const told = {
    format: "polebench record 1",
    kind: "torture",
    what: `${[...asked, topology].join(", ")}, seed ${seed}`,
    question: questionFrom("torture", ...asked, topology),
    ...originOf(environment),
  } as const;
  if ("broken" in run) {
    const attempts = { made: 1, counted: 0 };
    return { ...told, attempts, validity: "invalid", reasons: [`broken: ${run.broken}`], numbers: {} };
  }
  const number = (value: number, unit: string, better: BookNumber["better"]): BookNumber => ({
    unit,
    better,
    values: [{ of: String(seed), value, atLeast: false }],
  });
  const { judgement, findings, servedAfterMs, operations, acknowledged, faults } = run;
  return {
    ...told,
    attempts: { made: 1, counted: judgement === "valid" ? 1 : 0 },
    validity: judgement,
    reasons: findings.flatMap(({ property, judgement: found, reasons }) =>
      found === "valid" ? [] : [`${property}: ${reasons[0] ?? ""}`],
    ),
    numbers: {
      operations: number(operations, "", null),
      acknowledged: number(acknowledged, "", "more"),
      faults: number(
        Object.values(faults).reduce((sum, count) => sum + count, 0),
        "",
        null,
      ),
      ...(servedAfterMs === null ? {} : { "served again": number(servedAfterMs, "ms", "less") }),
    },
  };
}
