/** The trial at a glance above the slider: a row a server, painted by what it was; outages; faults. */

import type { Opening } from "../record.ts";
import type { Painted } from "../scene/spans.ts";
import { draw } from "./dom.ts";

const ROW = 12;
const WIDTH = 1000;

export class Strip {
  readonly element = draw("svg", { class: "strip", preserveAspectRatio: "none", "aria-hidden": "true" });

  show(plan: Opening, { from, to, roles, outages, faults }: Painted): void {
    const x = (at: number): number => ((at - from) / Math.max(1, to - from)) * WIDTH;
    const height = plan.servers.length * ROW;
    const row = new Map(plan.servers.map(({ id }, index) => [id, index * ROW]));
    // A role is told by its height too: who leads fills its row, who is down leaves it empty.
    const painted = roles.map(({ server, role, from: since, to: until }) => {
      const tall = TALL[role];
      const top = (row.get(server) ?? 0) + (ROW - tall) / 2;
      const width = Math.max(0.5, x(until) - x(since)).toFixed(2);
      return draw("rect", { x: x(since).toFixed(2), y: top, width, height: tall, class: `painted ${role}` });
    });
    const bands = outages.map((outage) =>
      draw("rect", {
        x: x(outage.from).toFixed(2),
        y: 0,
        width: Math.max(1.5, x(outage.to) - x(outage.from)).toFixed(2),
        height,
        class: "band",
      }),
    );
    const struck = faults.map(({ at }) =>
      draw("line", { x1: x(at).toFixed(2), x2: x(at).toFixed(2), y1: 0, y2: height, class: "struck" }),
    );
    this.element.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    this.element.replaceChildren(...bands, ...painted, ...struck);
  }
}

const TALL = { unknown: 1, down: 0, paused: 3, looking: 6, following: 3, leading: 11 } as const;
