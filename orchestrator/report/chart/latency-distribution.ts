/** How latencies are distributed, before the fault and after it, for each site. */

import type { Measures } from "../../measure/measures.ts";
import { axis, baseOptions, type Figure } from "./figure.ts";
import { look } from "./style.ts";

export function latencyDistribution(measures: Measures, conditions: string): Figure {
  const title = "How many writes took at most how long";
  const caption = `steady state, thin before the fault and thick after it; ${conditions}`;
  const lines = Object.entries(measures.latencies.sites).flatMap(([site, byPhase], index) =>
    (["before", "after"] as const).map((phase) => ({ site, phase, index, ...byPhase[phase].distribution })),
  );
  const drawn = lines.filter(({ share }) => share.length > 0);
  return {
    name: "latency-distribution",
    title,
    caption,
    config: {
      type: "line",
      data: {
        datasets: drawn.map(({ site, phase, index, share, value }) => {
          const { colour, dash, point } = look(index);
          return {
            label: `${site}, ${phase}`,
            data: share.map((part, at) => ({ x: value[at] ?? 0, y: part * 100 })),
            borderColor: colour,
            backgroundColor: colour,
            borderDash: [...dash],
            borderWidth: phase === "before" ? 1.2 : 2.8,
            pointStyle: point,
            pointRadius: (context: { readonly dataIndex: number }) =>
              context.dataIndex % 25 === 12 ? (phase === "before" ? 3 : 5) : 0,
          };
        }),
      },
      options: {
        ...baseOptions(title, caption),
        scales: {
          x: axis("latency (ms)", {
            type: "linear",
            beginAtZero: true,
            max: Math.ceil(p999(measures) / 10) * 10,
          }),
          y: axis("share of writes (%)", { min: 0, max: 100 }),
        },
      },
    },
    table: {
      columns: ["share", ...drawn.map(({ site, phase }) => `${site}, ${phase} (ms)`)],
      rows: (drawn[0]?.share ?? []).map((share, at) => [
        share,
        ...drawn.map(({ value }) => value[at] ?? null),
      ]),
    },
  };
}

/** The last thousandth would press everything else into a corner; the table has it. */
function p999({ latencies }: Measures): number {
  const phases = Object.values(latencies.sites).flatMap(({ before, after }) => [before, after]);
  const ends = phases.map(({ latency }) => (latency === null ? 0 : latency.p99 * 1.15));
  return Math.max(1, ...ends);
}
