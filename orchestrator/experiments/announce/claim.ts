/**
 * A figure or a sentence of Schooler's chapter on announce-listen elections, put to the test: what it says,
 * what theory says of it, and what groups in virtual time and on real machines do.
 *
 * Each stands in a file of its own and is a value.
 */

import type { Figure, Table } from "../../report/chart/figure.ts";
import type { Lab } from "./lab.ts";

export interface Claim {
  /** As `make announce FIG=` takes it. */
  readonly name: string;
  /** What the thesis says. */
  readonly says: string;
  /** What is right. */
  readonly verdict: string;
  readonly test: (lab: Lab) => Promise<Outcome>;
}

export interface Outcome {
  readonly figures: readonly Figure[];
  /** Formula beside what was measured, number by number. */
  readonly numbers: Table;
  readonly checks: readonly Check[];
}

export interface Check {
  readonly what: string;
  readonly holds: boolean;
}
