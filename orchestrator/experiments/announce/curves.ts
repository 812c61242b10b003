/** The parts that most figures of the chapter are made of: a curve over N by formula, and one measured. */

import type { Table } from "../../report/chart/figure.ts";
import type { FormulaCurve, FormulaPoint } from "../../report/chart/formula-points.ts";
import type { Check } from "./claim.ts";
import type { Beginning, Begun, Lab } from "./lab.ts";
import { agrees, OF_MACHINES, printSample, type Sample } from "./sample.ts";

export interface Subject {
  readonly label: string;
  readonly look: number;
  readonly beginning: Omit<Beginning, "members">;
  readonly measure: keyof Begun;
  /** By N; null where there is no formula. */
  readonly formula: ((members: number) => number) | null;
  readonly printed?: (members: number) => number;
}

export interface Measured {
  readonly subject: Subject;
  readonly points: readonly (FormulaPoint & { readonly y: Sample })[];
  readonly live: readonly (FormulaPoint & { readonly y: Sample })[];
}

export async function measured(lab: Lab, subject: Subject, sizes: readonly number[]): Promise<Measured> {
  const points = [];
  for (const x of sizes)
    points.push({ x, y: (await lab.begin({ ...subject.beginning, members: x }))[subject.measure] });
  const live = [];
  for (const x of lab.live?.sizes ?? []) {
    const begun = await lab.live?.begin({ ...subject.beginning, members: x });
    if (begun !== undefined && begun !== null) live.push({ x, y: begun[subject.measure] });
  }
  return { subject, points, live };
}

/** Formula, what is printed, virtual time and real processes. */
export function curvesOf({ subject, points, live }: Measured): readonly FormulaCurve[] {
  const { label, look, formula, printed } = subject;
  const drawn = (of: (members: number) => number): readonly FormulaPoint[] =>
    points.map(({ x }) => ({ x, y: of(x) }));
  return [
    ...(formula === null ? [] : [{ label, kind: "formula" as const, look, points: drawn(formula) }]),
    ...(printed === undefined
      ? []
      : [{ label: `${label}, as printed`, kind: "printed" as const, look, points: drawn(printed) }]),
    { label: `${label}, virtual`, kind: "virtual", look, points },
    ...(live.length === 0 ? [] : [{ label: `${label}, live`, kind: "live" as const, look, points: live }]),
  ];
}

/** Every point in virtual time against the formula, and that what is printed is something else. */
export function checksOf({ subject, points, live }: Measured): readonly Check[] {
  const { label, formula, printed } = subject;
  if (formula === null) return [];
  const wrong = points.filter(({ x, y }) => !agrees(y, formula(x)));
  const refuted =
    printed === undefined
      ? []
      : [
          {
            what: `${label}: what is printed is refuted`,
            holds: points.some(({ x, y }) => !agrees(y, printed(x))),
          },
        ];
  const where = wrong.length === 0 ? "" : `, not at N = ${wrong.map(({ x }) => x).join(", ")}`;
  return [
    { what: `${label}: every N agrees with the formula${where}`, holds: wrong.length === 0 },
    ...(live.length === 0
      ? []
      : [{ what: `${label}: so do real members`, holds: live.every(({ x, y }) => isReal(y, formula(x))) }]),
    ...refuted,
  ];
}

const isReal = (sample: Sample, expected: number): boolean => agrees(sample, expected, OF_MACHINES);

export function numbersOf(all: readonly Measured[]): Table {
  return {
    columns: ["what", "N", "formula", "printed", "virtual", "live"],
    rows: all.flatMap(({ subject: { label, formula, printed }, points, live }) =>
      points.map(({ x, y }) => [
        label,
        x,
        formula === null ? "" : formula(x).toFixed(3),
        printed === undefined ? "" : printed(x).toFixed(3),
        printSample(y),
        ((found) => (found === undefined ? "" : printSample(found.y)))(live.find((point) => point.x === x)),
      ]),
    ),
  };
}

/** Whether one is above another at every N from some on. */
export const isAbove = (one: Measured, other: Measured, from = 0): boolean =>
  one.points.every(({ x, y }, at) => x < from || y.mean > (other.points[at]?.y.mean ?? Number.NaN));
