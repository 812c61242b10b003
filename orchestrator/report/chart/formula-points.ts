/**
 * What formulas say beside what was measured: right formulas as plain lines, those that are printed and wrong
 * dashed, and measured means as points with their intervals, filled when they are of real processes.
 */

import type { Interval } from "../../statistics/interval.ts";
import { axis, baseOptions, type Figure, type Table, whiskersBehind } from "./figure.ts";
import { FAINT, look } from "./style.ts";

export interface FormulaCurve {
  readonly label: string;
  readonly kind: "formula" | "printed" | "virtual" | "live";
  /** Curves about one thing have one colour. */
  readonly look: number;
  readonly points: readonly FormulaPoint[];
}

export interface FormulaPoint {
  readonly x: number;
  readonly y: number | Interval;
}

export interface FormulaChart {
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly xAxis: string;
  readonly yAxis: string;
  readonly logarithmic?: boolean;
  readonly curves: readonly FormulaCurve[];
}

const meanOf = (y: number | Interval): number => (typeof y === "number" ? y : y.mean);
const isMeasured = ({ kind }: FormulaCurve): boolean => kind === "virtual" || kind === "live";

export function formulaPoints(chart: FormulaChart): Figure {
  const { name, title, xAxis, yAxis, curves, logarithmic = false } = chart;
  const caption = `${chart.caption}; lines: formulas, dashed: as printed and wrong; points: measured, 95 %`;
  const xs = [...new Set(curves.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const scale = axis(xAxis);
  // On a logarithmic axis every size that was tried is named, and no other.
  const ticks = {
    ...scale.ticks,
    callback: (value: number | string) => (xs.includes(Number(value)) ? String(value) : ""),
  };
  const type = logarithmic ? ("logarithmic" as const) : ("linear" as const);
  const end = { min: xs[0] ?? 0, max: xs.at(-1) ?? 1 };
  return {
    name,
    title,
    caption,
    height: 460,
    config: {
      type: "line",
      data: {
        datasets: curves.map((curve) => {
          const { colour, point } = look(curve.look);
          return {
            label: curve.label,
            data: curve.points.map(({ x, y }) => ({ x, y: meanOf(y) })),
            borderColor: curve.kind === "printed" ? FAINT : colour,
            backgroundColor: curve.kind === "live" ? colour : "white",
            showLine: !isMeasured(curve),
            borderDash: curve.kind === "printed" ? [6, 4] : [],
            borderWidth: isMeasured(curve) ? 2 : 1.5,
            pointRadius: isMeasured(curve) ? (curve.kind === "live" ? 7 : 4.5) : 0,
            pointStyle: isMeasured(curve) ? point : ("line" as const),
          };
        }),
      },
      options: {
        ...baseOptions(title, caption),
        scales: {
          x: axis(xAxis, {
            type,
            ...end,
            ...(logarithmic && { ticks, afterBuildTicks: (of: Ticked) => exactly(of, xs) }),
          }),
          y: axis(yAxis, { beginAtZero: true }),
        },
        clip: false,
      },
      plugins: [
        whiskersBehind(
          curves.map(({ points }) => points.map(({ y }) => (typeof y === "number" ? null : y))),
          curves.map((curve) => look(curve.look).colour),
        ),
      ],
    },
    table: tableOf(xAxis, xs, curves),
  };
}

interface Ticked {
  ticks: { value: number }[];
}

function exactly(scale: Ticked, xs: readonly number[]): void {
  scale.ticks = xs.map((value) => ({ value }));
}

function tableOf(xAxis: string, xs: readonly number[], curves: readonly FormulaCurve[]): Table {
  const at = ({ points }: FormulaCurve, x: number): number | Interval | null =>
    points.find((point) => point.x === x)?.y ?? null;
  return {
    columns: [
      xAxis,
      ...curves.flatMap((curve) =>
        isMeasured(curve) ? [curve.label, `${curve.label}, 95 % from`, "to"] : [curve.label],
      ),
    ],
    rows: xs.map((x) => [
      x,
      ...curves.flatMap((curve) => {
        const y = at(curve, x);
        if (!isMeasured(curve)) return [y === null ? null : meanOf(y)];
        return y === null || typeof y === "number" ? [y, null, null] : [y.mean, y.low, y.high];
      }),
    ]),
  };
}
