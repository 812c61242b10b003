/**
 * What the checks conclude. A verdict is as bad as the worst finding in it, and it says what it stands on: a
 * check that found no operation to look at has proved nothing, and calling that valid is how broken tests
 * stay green for years.
 */

export type Judgement = "valid" | "unknown" | "invalid";

export interface Finding {
  readonly property: string;
  readonly judgement: Judgement;
  /** How many operations (or watches, locks, servers) stood behind it. */
  readonly operations: number;
  /** For people: what was wrong, with the operations quoted; at most `MOST_REASONS`. */
  readonly reasons: readonly string[];
}

export interface Verdict {
  readonly judgement: Judgement;
  readonly findings: readonly Finding[];
}

const MOST_REASONS = 10;

/** The finding of a check that collected what was wrong. */
export function finding(property: string, operations: number, wrong: readonly string[]): Finding {
  const all = operations === 0 ? ["vacuous", ...wrong] : wrong;
  const more = all.length - MOST_REASONS;
  const reasons = more > 0 ? [...all.slice(0, MOST_REASONS), `and ${more} more`] : all;
  return { property, judgement: all.length > 0 ? "invalid" : "valid", operations, reasons };
}

const BADNESS: Record<Judgement, number> = { valid: 0, unknown: 1, invalid: 2 };

export const worst = (judgements: readonly Judgement[]): Judgement =>
  judgements.reduce((a, b) => (BADNESS[b] > BADNESS[a] ? b : a), "valid");

export function verdict(findings: readonly Finding[]): Verdict {
  if (findings.length === 0) return { judgement: "invalid", findings: [finding("anything", 0, [])] };
  return { judgement: worst(findings.map(({ judgement }) => judgement)), findings };
}

/** Of several runs, or of several parts of one: every finding stays. */
export const merge = (verdicts: readonly Verdict[]): Verdict =>
  verdict(verdicts.flatMap(({ findings }) => findings));
