/**
 * A quantity over something that is varied, one line for each arm. Lines that fall together stay visible by
 * their markers.
 */

import type { Middle } from "../../statistics/middle.ts";
import { axis, baseOptions, type Figure, type Table, whiskersBehind } from "./figure.ts";
import { FAINT, look } from "./style.ts";

export interface SweepLine {
  readonly label: string;
  /** Lines of one look belong together; without one, each has its own. */
  readonly look?: number;
  /** Filled and thick, to tell two lines of one look apart. */
  readonly strong?: boolean;
  /** In the order of `xs`. */
  readonly points: readonly (Middle | null)[];
}

export interface Sweep {
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly xAxis: string;
  readonly yAxis: string;
  readonly xs: readonly number[];
  readonly lines: readonly SweepLine[];
  /** What cannot be passed, and its name; drawn thin. */
  readonly bound: { readonly label: string; readonly values: readonly (number | null)[] } | null;
}

export function sweepLines({ name, title, xAxis, yAxis, xs, lines, bound, ...rest }: Sweep): Figure {
  const largest = 4 + Math.min(lines.length, 6);
  // A point that is missing is no point of the line.
  const found = lines.map(({ points }) => points.filter((point) => point !== null));
  const spread = found.flat().some(({ low, high }) => low !== null && high !== null && low < high)
    ? "; whiskers: 95 % interval of the median of runs"
    : "";
  const caption = `${rest.caption}${spread}`;
  return {
    name,
    title,
    caption,
    height: 440,
    config: {
      type: "line",
      data: {
        datasets: [
          ...lines.map(({ label, points, look: own, strong = false }, index) => {
            const { colour, dash, point } = look(own ?? index);
            return {
              label,
              data: xs.flatMap((x, at) => (points[at] ? [{ x, y: points[at].middle }] : [])),
              borderColor: colour,
              backgroundColor: strong ? colour : "transparent",
              borderDash: [...dash],
              borderWidth: strong ? 3 : 1.5,
              pointStyle: point,
              pointBorderWidth: 2,
              pointRadius: own === undefined ? largest - index : 5,
            };
          }),
          ...(bound === null
            ? []
            : [
                {
                  label: bound.label,
                  data: xs.map((x, at) => ({ x, y: bound.values[at] ?? null })),
                  borderColor: FAINT,
                  borderWidth: 1,
                  pointRadius: 0,
                  pointStyle: "line" as const,
                },
              ]),
        ],
      },
      options: {
        ...baseOptions(title, caption),
        scales: {
          x: axis(xAxis, { type: "linear", min: Math.min(...xs), max: Math.max(...xs) }),
          y: axis(yAxis, { beginAtZero: true }),
        },
        clip: false,
      },
      plugins: [
        whiskersBehind(
          found,
          lines.map((line, index) => look(line.look ?? index).colour),
        ),
      ],
    },
    table: tableOf({ xAxis, xs, lines, bound }),
  };
}

function tableOf({ xAxis, xs, lines, bound }: Pick<Sweep, "xAxis" | "xs" | "lines" | "bound">): Table {
  const columns = lines.flatMap(({ label }) => [label, `${label}, 95 % from`, "to"]);
  const rowAt = (at: number) =>
    lines.flatMap(({ points }) => [
      points[at]?.middle ?? null,
      points[at]?.low ?? null,
      points[at]?.high ?? null,
    ]);
  return {
    columns: [xAxis, ...columns, ...(bound === null ? [] : [bound.label])],
    rows: xs.map((x, at) => [x, ...rowAt(at), ...(bound === null ? [] : [bound.values[at] ?? null])]),
  };
}
