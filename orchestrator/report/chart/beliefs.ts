/**
 * An election by itself over time: how many took themselves for the leader, and how many followed the last.
 */

import { Beliefs } from "../../measure/members/beliefs.ts";
import type { ElectionMeasures } from "../../measure/members/measures.ts";
import type { ElectionRecording } from "../../recording/recording.ts";
import { axis, baseOptions, type Figure, marks } from "./figure.ts";
import { FAULT_COLOUR, INK, look } from "./style.ts";

export function beliefsOverTime(
  recording: ElectionRecording,
  measures: ElectionMeasures,
  conditions: string,
): Figure {
  const title = "Who believes to lead?";
  const caption = `members at each moment, until a little after the last change; ${conditions}`;
  const last = measures.agreements.at(-1)?.leader ?? null;
  const points = pointsOf(recording, last);
  const lines = [
    { label: "take themselves for the leader", of: ({ claimants }: Point) => claimants },
    ...(last === null
      ? []
      : [{ label: `follow ${last}, the last to lead`, of: ({ followers }: Point) => followers }]),
    { label: "live", of: ({ living }: Point) => living },
  ];
  const end = (points.at(-1)?.at ?? 0) * 1.1;
  return {
    name: "beliefs",
    title,
    caption,
    config: {
      type: "line",
      data: {
        datasets: lines.map(({ label, of }, index) => {
          const { colour, dash } = look(index);
          const drawn = points.map((point) => ({ x: point.at, y: of(point) }));
          return {
            label,
            data: [...drawn, { x: end, y: drawn.at(-1)?.y ?? 0 }],
            stepped: "before" as const,
            borderColor: colour,
            backgroundColor: colour,
            borderDash: [...dash],
            borderWidth: 2,
            pointStyle: "line" as const,
            pointRadius: 0,
          };
        }),
      },
      options: {
        ...baseOptions(title, caption),
        scales: {
          x: axis("time since the beginning (s)", { type: "linear", min: 0, max: end }),
          y: axis("members", { beginAtZero: true, grace: "15%" }),
        },
      },
      plugins: [
        marks([
          ...recording.marks.map(({ at, fault }) => ({ at: at / 1e6, text: fault, colour: FAULT_COLOUR })),
          ...measures.agreements.map(({ leader, from }) => ({
            at: from / 1e6,
            text: `all follow ${leader}`,
            colour: INK,
          })),
        ]),
      ],
    },
    table: {
      columns: ["second", ...lines.map(({ label }) => label)],
      rows: points.map((point) => [point.at, ...lines.map(({ of }) => of(point))]),
    },
  };
}

interface Point {
  /** In seconds. */
  readonly at: number;
  readonly claimants: number;
  readonly followers: number;
  readonly living: number;
}

/** After every moment in which somebody changed its mind, began or ended. */
function pointsOf({ events }: ElectionRecording, last: number | null): readonly Point[] {
  const beliefs = new Beliefs();
  const points: Point[] = [];
  const changes = events.filter(({ event }) => event === "elected" || event === "ended");
  for (const [index, told] of changes.entries()) {
    beliefs.see(told);
    if (changes[index + 1]?.at === told.at) continue;
    points.push({
      at: told.at / 1e6,
      claimants: beliefs.claimants,
      followers: last === null ? 0 : beliefs.followersOf(last),
      living: beliefs.leaders.size,
    });
  }
  return points;
}
