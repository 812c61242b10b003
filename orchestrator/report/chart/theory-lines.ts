/**
 * What an election costs against the number of processes: what was counted as points, what is said of it as
 * lines. What a lecture prints and is not so is dashed, thin is what no algorithm of its kind can stay below.
 */

import type { Costs, Spread } from "../../theory/costs.ts";
import type { Law, Theory } from "#node/theory/lecture.ts";
import { axis, baseOptions, type Figure } from "./figure.ts";
import { FAINT, FAULT_COLOUR, FONT, INK, look, LOOK_COUNT } from "./style.ts";

interface Measured {
  readonly label: string;
  readonly of: (spread: Spread) => number;
  readonly law: Law | null;
}

export function theoryMessages(name: string, costs: readonly Costs[], theory: Theory): Figure {
  const wrong = theory.printed.filter((law) => law.wrong !== null);
  return lines({
    name: "theory-messages",
    title: `${name}: how many messages does an election cost?`,
    caption: "points: counted; lines of the same colour: what is said; both axes logarithmic",
    unit: "messages",
    costs,
    spread: ({ messages }) => messages,
    measured: [
      { label: "least", of: ({ least }) => least, law: theory.best },
      { label: "mean", of: ({ mean }) => mean, law: theory.mean },
      { label: "most", of: ({ most }) => most, law: theory.worst },
    ],
    more: [
      ...wrong.map((law) => ({ ...law, label: `not so: ${law.label}`, dashed: true })),
      ...(theory.bound === null ? [] : [{ ...theory.bound, dashed: false }]),
    ],
  });
}

export function theoryTime(name: string, costs: readonly Costs[], theory: Theory, unit: string): Figure {
  return lines({
    name: "theory-time",
    title: `${name}: how long until the first knows who leads?`,
    caption: `in ${unit}, when every message takes one; points: counted; line: what is said`,
    unit,
    costs,
    spread: ({ first }) => first,
    measured: [
      { label: "least", of: ({ least }) => least, law: null },
      { label: "mean", of: ({ mean }) => mean, law: null },
      { label: "most", of: ({ most }) => most, law: theory.first },
    ],
    more: [],
  });
}

/** The mean, or the most, of several algorithms. */
export function theoryCompared(
  all: readonly { readonly name: string; readonly costs: readonly Costs[] }[],
  which: "mean" | "most",
): Figure {
  const ns = [...new Set(all.flatMap(({ costs }) => costs.map(({ n }) => n)))].sort((a, b) => a - b);
  const title = which === "mean" ? "Messages of an election in the mean" : "Messages of the dearest election";
  const caption =
    "counted; of many arrangements those drawn and those known to cost most; both axes logarithmic";
  return {
    name: `theory-${which}`,
    title,
    caption,
    height: 520,
    config: {
      type: "scatter",
      data: {
        datasets: all.map(({ name, costs }, index) => ({
          ...points(
            name,
            index,
            costs.map(({ n, messages }) => [n, messages[which]]),
          ),
          type: "line" as const,
          label: name,
          borderDash: [...look(index).dash],
          borderWidth: 1.5,
          pointRadius: 5,
          ...(index >= LOOK_COUNT && MORE),
        })),
      },
      options: { ...baseOptions(title, caption), scales: scales(ns, "messages"), clip: false },
    },
    table: {
      columns: ["processes", ...all.map(({ name }) => name)],
      rows: ns.map((n) => [
        n,
        ...all.map(({ costs }) => costs.find((one) => one.n === n)?.messages[which] ?? null),
      ]),
    },
  };
}

/** When looks are used up. */
const MORE = { borderColor: FAINT, borderDash: [6, 2], pointStyle: "dash" as const };

interface Drawing {
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly unit: string;
  readonly costs: readonly Costs[];
  readonly spread: (costs: Costs) => Spread;
  readonly measured: readonly Measured[];
  readonly more: readonly (Law & { readonly dashed: boolean })[];
}

function lines({ name, title, caption, unit, costs, spread, measured, more }: Drawing): Figure {
  const ns = costs.map(({ n }) => n);
  const lawful = measured.flatMap(({ law }, index) => (law === null ? [] : [{ law, index }]));
  return {
    name,
    title,
    caption,
    height: 520,
    config: {
      type: "scatter",
      data: {
        datasets: [
          ...measured.map(({ label, of }, index) =>
            points(
              label,
              index,
              costs.map((one) => [one.n, of(spread(one))]),
            ),
          ),
          ...lawful.map(({ law, index }) => curve(law, ns, look(index).colour, [], 1.5)),
          ...more.map((law) =>
            curve(law, ns, law.dashed ? FAULT_COLOUR : FAINT, law.dashed ? [8, 5] : [], law.dashed ? 2 : 1),
          ),
        ],
      },
      options: {
        ...baseOptions(title, caption),
        scales: scales(ns, unit),
        clip: false,
      },
    },
    table: {
      columns: [
        "processes",
        ...measured.map(({ label }) => `${label} ${unit}`),
        ...lawful.map(({ law }) => law.label),
        ...more.map(({ label }) => label),
      ],
      rows: costs.map((one) => [
        one.n,
        ...measured.map(({ of }) => of(spread(one))),
        ...lawful.map(({ law }) => law.of(one.n)),
        ...more.map((law) => law.of(one.n)),
      ]),
    },
  };
}

const scales = (ns: readonly number[], unit: string) => ({
  x: axis("processes", {
    type: "logarithmic",
    min: Math.min(...ns),
    max: Math.max(...ns),
    afterBuildTicks(scale: { ticks: { value: number }[] }) {
      Object.assign(scale, { ticks: apart(ns).map((value) => ({ value })) });
    },
  }),
  y: axis(unit, {
    type: "logarithmic",
    ticks: { color: INK, font: { family: FONT, size: 12 }, callback: roundOnly },
  }),
});

/** 1, 2, 5, 10 and so on; lines stay at the others too. */
const roundOnly = (value: number | string): string =>
  /^[125]0*$/.test(String(value)) ? Number(value).toLocaleString("en") : "";

/** Those beside which a number has room, and the last. */
function apart(ns: readonly number[]): readonly number[] {
  const kept: number[] = [];
  for (const n of ns.toReversed()) if ((kept[0] ?? Infinity) >= 1.12 * n) kept.unshift(n);
  return kept;
}

const points = (label: string, index: number, at: readonly (readonly [number, number])[]) => ({
  label: `${label}, counted`,
  data: at.map(([x, y]) => ({ x, y })),
  borderColor: look(index).colour,
  backgroundColor: "transparent",
  pointStyle: look(index).point,
  pointRadius: 7 - 1.5 * index,
  pointBorderWidth: 2,
});

const curve = (law: Law, ns: readonly number[], colour: string, dash: number[], width: number) => ({
  type: "line" as const,
  label: law.label,
  data: ns.flatMap((x) => {
    const y = law.of(x);
    return y === null || y <= 0 ? [] : [{ x, y }];
  }),
  borderColor: colour,
  backgroundColor: colour,
  borderDash: dash,
  borderWidth: width,
  pointRadius: 0,
  pointStyle: "line" as const,
});
