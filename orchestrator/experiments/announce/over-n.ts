/** A figure over the number of members, with what is checked of it. */

import { formulaPoints } from "../../report/chart/formula-points.ts";
import type { Check, Outcome } from "./claim.ts";
import { checksOf, curvesOf, type Measured, measured, numbersOf, type Subject } from "./curves.ts";
import type { Lab } from "./lab.ts";

export interface OverN {
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly yAxis: string;
  readonly subjects: readonly Subject[];
  /** Beyond the usual. */
  readonly larger?: readonly number[];
  /** Besides that points agree with formulas. */
  readonly checks: (all: readonly Measured[]) => readonly Check[];
}

export async function overN(lab: Lab, of: OverN): Promise<Outcome> {
  const sizes = [...new Set([...lab.sizes, ...(of.larger ?? [])])].sort((a, b) => a - b);
  const all: Measured[] = [];
  for (const subject of of.subjects) all.push(await measured(lab, subject, sizes));
  const { name, title, caption, yAxis } = of;
  const curves = all.flatMap(curvesOf);
  return {
    figures: [formulaPoints({ name, title, caption, yAxis, xAxis: "members, N", logarithmic: true, curves })],
    numbers: numbersOf(all),
    checks: [...all.flatMap(checksOf), ...of.checks(all)],
  };
}

/** The one with this label. */
export function byLabel(all: readonly Measured[], label: string): Measured {
  const found = all.find(({ subject }) => subject.label === label);
  if (found === undefined) throw new Error(`nothing was measured under "${label}"`);
  return found;
}

export const CONDITIONS = "T_S = T_A = 1, D = 0.1, all begin together";
