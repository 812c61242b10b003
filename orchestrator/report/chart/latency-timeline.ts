/** The latency of each site over time: what clients lived through. */

import type { Measures } from "../../measure/measures.ts";
import type { Timeline } from "../../measure/timeline.ts";
import { axis, baseOptions, type Figure, type Mark, marks } from "./figure.ts";
import { FAULT_COLOUR, INK, look } from "./style.ts";

/** Over the whole run, a point a second. */
export function latencyTimeline(measures: Measures, conditions: string): Figure {
  return figure(
    "latency-timeline",
    `Mean latency of writes${change(measures)}`,
    `per second, by when a request should have been sent; ${conditions}`,
    measures.siteTimelines,
    marksOf(measures),
    "mean latency (ms)",
    "meanMs",
  );
}

/** Around the fault: what was acknowledged when. */
export function acknowledgementCloseUp(measures: Measures, conditions: string): Figure {
  const outage = measures.outage === null ? "" : `: nobody is served for ${measures.outage.ms.toFixed(0)} ms`;
  return figure(
    "fault-throughput",
    `Around the fault${outage}`,
    `writes acknowledged per 100 ms, by when the answer came; ${conditions}`,
    measures.closeUp,
    marksOf(measures),
    "acknowledged writes per 100 ms",
    "acknowledged",
  );
}

function change({ physics, latencies }: Measures): string {
  const [before, after] = [latencies.overall.before.latency, latencies.overall.after.latency];
  if (before === null || after === null || physics.before === null || physics.after === null) return "";
  const from = `${before.mean.toFixed(1)} ms under p${physics.before.leader}`;
  return `: ${from}, ${after.mean.toFixed(1)} ms under p${physics.after.leader}`;
}

export function marksOf({ faults, reigns }: Measures): readonly Mark[] {
  return [
    ...faults.map(({ atMs, fault, servers }) => ({
      at: atMs / 1e3,
      text: `${fault} (${servers.map((server) => `p${server}`).join(", ")})`,
      colour: FAULT_COLOUR,
    })),
    ...reigns
      .filter(({ from }) => from > 0)
      .map(({ leader, from }) => ({ at: from / 1e6, text: `p${leader} leads`, colour: INK })),
  ];
}

function figure(
  name: string,
  title: string,
  caption: string,
  timelines: Readonly<Record<string, Timeline>>,
  marksAt: readonly Mark[],
  unit: string,
  quantity: "meanMs" | "acknowledged",
): Figure {
  const sites = Object.entries(timelines);
  const { fromMs, stepMs, steps } = sites[0]?.[1] ?? { fromMs: 0, stepMs: 1000, steps: [] };
  const middle = (index: number): number => (fromMs + (index + 0.5) * stepMs) / 1e3;
  return {
    name,
    title,
    caption,
    config: {
      type: "line",
      data: {
        datasets: sites.map(([site, timeline], index) => {
          const { colour, dash, point } = look(index);
          return {
            label: site,
            data: timeline.steps.map((step, at) => ({ x: middle(at), y: step[quantity] })),
            borderColor: colour,
            backgroundColor: colour,
            borderDash: [...dash],
            borderWidth: 2,
            pointStyle: point,
            pointRadius: (context: { readonly dataIndex: number }) =>
              (context.dataIndex + index) % Math.ceil(steps.length / 15) === 0 ? 4 : 0,
            spanGaps: false,
          };
        }),
      },
      options: {
        ...baseOptions(title, caption),
        scales: {
          x: axis("time since the load began (s)", {
            type: "linear",
            min: fromMs / 1e3,
            max: (fromMs + steps.length * stepMs) / 1e3,
          }),
          // Room for the words at the marks, which would hide the peak that a fault makes.
          y: axis(unit, { beginAtZero: true, grace: marksAt.length > 0 ? "25%" : 0 }),
        },
      },
      plugins: [marks(marksAt)],
    },
    table: {
      columns: ["second", ...sites.map(([site]) => `${site} (${unit})`)],
      rows: steps.map((_, at) => [
        middle(at),
        ...sites.map(([, timeline]) => timeline.steps[at]?.[quantity] ?? null),
      ]),
    },
  };
}
