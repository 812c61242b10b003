/**
 * Around the fault: every request as a point, at the moment when it was due, as high as it took. An outage is
 * a slope, for what was due earlier waited longer; after it all points lie where they lay before, unless one
 * stalled.
 */

import type { Measures } from "../../measure/measures.ts";
import { latencyMs, type WriteOperation } from "../../workload/operation.ts";
import { axis, baseOptions, type Figure, marks } from "./figure.ts";
import { marksOf } from "./latency-timeline.ts";
import { FAULT_COLOUR, look, printMs } from "./style.ts";

const NOT_ACKNOWLEDGED = "not acknowledged";

export function dispatchScatter(
  operations: readonly WriteOperation[],
  measures: Measures,
  conditions: string,
): Figure {
  const sites = Object.keys(measures.closeUp);
  const { fromMs, stepMs, steps } = measures.closeUp[sites[0] ?? ""] ?? { fromMs: 0, stepMs: 0, steps: [] };
  const toMs = fromMs + stepMs * steps.length;
  const around = operations
    .filter(({ intended }) => intended >= fromMs * 1e3 && intended < toMs * 1e3)
    .toSorted((a, b) => a.intended - b.intended || a.id - b.id);
  const title = `Around the fault: how long every request took${stalled(measures)}`;
  const caption = `a point for each request, at the moment when it was due; ${conditions}`;
  const isLost = ({ outcome }: WriteOperation): boolean => outcome !== "ok";
  const point = (operation: WriteOperation) => ({ x: operation.intended / 1e6, y: latencyMs(operation) });
  const lost = around.filter(isLost);
  const marksAt = marksOf(measures);
  return {
    name: "fault-latency",
    title,
    caption,
    config: {
      type: "scatter",
      data: {
        datasets: [
          ...sites.map((site, index) => ({
            label: site,
            data: around.filter((one) => one.site === site && !isLost(one)).map(point),
            borderColor: look(index).colour,
            backgroundColor: look(index).colour,
            pointStyle: look(index).point,
            pointRadius: 2,
          })),
          ...(lost.length === 0
            ? []
            : [
                {
                  label: NOT_ACKNOWLEDGED,
                  data: lost.map(point),
                  borderColor: FAULT_COLOUR,
                  backgroundColor: FAULT_COLOUR,
                  pointStyle: "crossRot" as const,
                  pointRadius: 4,
                },
              ]),
        ],
      },
      options: {
        ...baseOptions(title, caption),
        scales: {
          x: axis("when the request was due, since the load began (s)", {
            type: "linear",
            min: fromMs / 1e3,
            max: toMs / 1e3,
          }),
          y: axis("latency (ms)", { beginAtZero: true, grace: "25%" }),
        },
      },
      plugins: [marks(marksAt)],
    },
    table: {
      columns: ["due (s)", "site", "server", "latency (ms)", "outcome"],
      rows: around.map((one) => [one.intended / 1e6, one.site, one.server, latencyMs(one), one.outcome]),
    },
  };
}

function stalled({ stall }: Measures): string {
  return stall === null ? "" : `; once served again, at most ${printMs(stall.ms)} above the usual`;
}
