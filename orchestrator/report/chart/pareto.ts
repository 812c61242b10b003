/**
 * Many choices by two things that are both to be small: a point each, those that no other beats in both
 * joined by a line, and some by name. Of very many only some are drawn, and all are looked at.
 */

import { axis, baseOptions, type Figure, type Table } from "./figure.ts";
import { FAINT, INK, look } from "./style.ts";

export interface ParetoPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface Pareto {
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly xAxis: string;
  readonly yAxis: string;
  /** What a point is. */
  readonly of: string;
  readonly choices: readonly ParetoPoint[];
  /** With a look of its own each. */
  readonly named: readonly (ParetoPoint & { readonly label: string })[];
}

export function paretoChart({ name, title, caption, xAxis, yAxis, of, choices, named }: Pareto): Figure {
  const front = frontOf(choices);
  const point = ({ x, y }: ParetoPoint) => ({ x, y });
  return {
    name,
    title,
    caption,
    height: 480,
    config: {
      type: "scatter",
      data: {
        datasets: [
          ...named.map((one, index) => ({
            label: one.label,
            data: [point(one)],
            borderColor: look(index + 1).colour,
            backgroundColor: look(index + 1).colour,
            pointStyle: look(index + 1).point,
            pointRadius: 8,
            pointBorderWidth: 2,
          })),
          {
            type: "line" as const,
            label: "no other is better in both",
            data: front.map(point),
            borderColor: INK,
            backgroundColor: INK,
            borderWidth: 1.5,
            stepped: "after" as const,
            pointRadius: 2.5,
            pointStyle: "circle" as const,
          },
          {
            label: of,
            data: choices.filter((_, index) => index % Math.ceil(choices.length / DRAWN) === 0).map(point),
            borderColor: FAINT,
            backgroundColor: "transparent",
            pointStyle: "circle" as const,
            pointRadius: 1.6,
            pointBorderWidth: 0.8,
          },
        ],
      },
      options: {
        ...baseOptions(title, caption),
        scales: { x: axis(xAxis, { grace: "3%" }), y: axis(yAxis, { grace: "5%" }) },
      },
    },
    table: tableOf(xAxis, yAxis, front),
  };
}

/** From the least x on, each with the least y so far. */
export function frontOf(choices: readonly ParetoPoint[]): readonly ParetoPoint[] {
  const front: ParetoPoint[] = [];
  for (const one of choices.toSorted((a, b) => a.x - b.x || a.y - b.y)) {
    const last = front.at(-1);
    if (last === undefined || one.y < last.y) front.push(one);
  }
  return front;
}

const tableOf = (xAxis: string, yAxis: string, front: readonly ParetoPoint[]): Table => ({
  columns: ["no other is better in both", xAxis, yAxis],
  rows: front.map(({ name, x, y }) => [name, x, y]),
});

const DRAWN = 4000;
