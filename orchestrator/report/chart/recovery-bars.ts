/** Where the recovery time went, as stacked bars: one for each run or oracle. */

import { STAGES, type Stage } from "../../measure/recovery.ts";
import { type Figure, sinceFaultOptions } from "./figure.ts";
import { INK, printMs, SHADES } from "./style.ts";

export interface RecoveryBar {
  readonly label: string;
  readonly stages: Readonly<Record<Stage, number>>;
  readonly unaccountedMs: number;
}

const MEANING: Readonly<Record<Stage, string>> = {
  noticed: "until the next leader noticed",
  elected: "election",
  discovered: "discovery",
  pulled: "pulling history",
  synchronized: "synchronization",
  "first commit": "first commit",
};
const UNACCOUNTED = "no event tells";

export function recoveryBars(bars: readonly RecoveryBar[], conditions: string): Figure {
  const total = ({ stages, unaccountedMs }: RecoveryBar): number =>
    STAGES.reduce((sum, stage) => sum + stages[stage], unaccountedMs);
  const [only] = bars;
  const title =
    bars.length === 1 && only !== undefined
      ? `Where ${printMs(total(only))} of outage went`
      : "Where the outage went";
  const caption = `from the fault to the first write that a client was told of; ${conditions}`;
  return {
    name: "recovery",
    title,
    caption,
    height: 190 + bars.length * 44,
    config: {
      type: "bar",
      data: {
        labels: bars.map((bar) => `${bar.label}  ${printMs(total(bar))}`),
        datasets: [
          ...STAGES.map((stage, index) => ({
            label: MEANING[stage],
            data: bars.map(({ stages }) => stages[stage]),
            backgroundColor: SHADES[index] ?? INK,
            borderColor: "white",
            borderWidth: 1,
            barPercentage: 0.7,
          })),
          {
            label: UNACCOUNTED,
            data: bars.map(({ unaccountedMs }) => unaccountedMs),
            backgroundColor: "white",
            borderColor: INK,
            borderWidth: 1,
            barPercentage: 0.7,
          },
        ],
      },
      options: sinceFaultOptions(title, caption),
    },
    table: {
      columns: ["", ...[...STAGES.map((stage) => MEANING[stage]), UNACCOUNTED, "total"].map(inMs)],
      rows: bars.map((bar) => [
        bar.label,
        ...STAGES.map((stage) => bar.stages[stage]),
        bar.unaccountedMs,
        total(bar),
      ]),
    },
  };
}

const inMs = (column: string): string => `${column} (ms)`;
