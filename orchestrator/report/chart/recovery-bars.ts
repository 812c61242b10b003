/** Where the recovery time went, as stacked bars: one for each run or oracle. */

import { STAGES, type Stage } from "../../measure/recovery.ts";
import { axis, baseOptions, type Figure } from "./figure.ts";
import { INK, printMs, SHADES } from "./style.ts";

export interface RecoveryBar {
  readonly label: string;
  readonly stages: Readonly<Record<Stage, number>>;
}

const MEANING: Readonly<Record<Stage, string>> = {
  noticed: "until the next leader noticed",
  elected: "election",
  discovered: "discovery",
  pulled: "pulling history",
  synchronized: "synchronization",
  "first write": "first write",
};

export function recoveryBars(bars: readonly RecoveryBar[], conditions: string): Figure {
  const total = ({ stages }: RecoveryBar): number => STAGES.reduce((sum, stage) => sum + stages[stage], 0);
  const [only] = bars;
  const title =
    bars.length === 1 && only !== undefined
      ? `Where ${printMs(total(only))} of outage went`
      : "Where the outage went";
  const caption = `from the fault to the first write of the next leader; ${conditions}`;
  return {
    name: "recovery",
    title,
    caption,
    height: 190 + bars.length * 44,
    config: {
      type: "bar",
      data: {
        labels: bars.map((bar) => `${bar.label}  ${printMs(total(bar))}`),
        datasets: STAGES.map((stage, index) => ({
          label: MEANING[stage],
          data: bars.map(({ stages }) => stages[stage]),
          backgroundColor: SHADES[index] ?? INK,
          borderColor: "white",
          borderWidth: 1,
          barPercentage: 0.7,
        })),
      },
      options: {
        ...baseOptions(title, caption),
        indexAxis: "y",
        scales: {
          x: axis("time since the fault (ms)", { stacked: true, beginAtZero: true }),
          y: axis("", { stacked: true, title: { display: false }, grid: { display: false } }),
        },
      },
    },
    table: {
      columns: ["", ...STAGES.map((stage) => `${MEANING[stage]} (ms)`), "total (ms)"],
      rows: bars.map((bar) => [bar.label, ...STAGES.map((stage) => bar.stages[stage]), total(bar)]),
    },
  };
}
