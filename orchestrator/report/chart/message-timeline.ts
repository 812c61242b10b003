/**
 * An election by itself, member by member: when each spoke, and when it changed its mind. A row is a member;
 * who is silenced has no more marks of its own.
 */

import type { ElectionMeasures } from "../../measure/members/measures.ts";
import type { ElectionRecording, MemberEvent } from "../../recording/recording.ts";
import { axis, baseOptions, type Figure, marks } from "./figure.ts";
import { FAULT_COLOUR, INK, look } from "./style.ts";

interface Sign {
  readonly label: string;
  readonly radius: number;
  readonly is: (told: MemberEvent) => boolean;
}

const SIGNS: readonly Sign[] = [
  { label: "announces", radius: 6, is: ({ event }) => event === "announced" },
  {
    label: "follows another",
    radius: 4,
    is: (told) => told.event === "elected" && told.leader !== told.member,
  },
  {
    label: "takes itself for the leader",
    radius: 5,
    is: (told) => told.event === "elected" && told.leader === told.member,
  },
  { label: "ends", radius: 7, is: ({ event }) => event === "ended" },
];

/** After the last change of mind nothing happens but heartbeats; a few of them are shown. */
const AFTERWARDS = 2e6;

export function messageTimeline(
  recording: ElectionRecording,
  measures: ElectionMeasures,
  conditions: string,
): Figure {
  const title = "Who speaks, and who changes its mind?";
  const changed = recording.events.findLast(({ event }) => event === "elected" || event === "ended");
  const end = (changed?.at ?? 0) + AFTERWARDS;
  const caption = `a row a member, until two seconds after the last change; ${conditions}`;
  const shown = recording.events.filter(({ at }) => at >= 0 && at <= end);
  const rows = recording.plan.subject.members.map(({ member }) => Number(member));
  return {
    name: "messages",
    title,
    caption,
    height: Math.min(900, 220 + 14 * rows.length),
    config: {
      type: "scatter",
      data: {
        datasets: SIGNS.map(({ label, radius, is }, index) => {
          const { colour, point } = look(index);
          return {
            label,
            data: shown.filter(is).map(({ at, member }) => ({ x: at / 1e6, y: member })),
            borderColor: colour,
            backgroundColor: index === 0 ? colour : "transparent",
            pointStyle: point,
            pointRadius: rows.length > 60 ? radius / 2 : radius,
            pointBorderWidth: 1.5,
          };
        }),
      },
      options: {
        ...baseOptions(title, caption),
        scales: {
          x: axis("time since the beginning (s)", { type: "linear", min: 0, max: end / 1e6 }),
          // Above the last row there is room for words.
          y: axis("member", {
            min: 0,
            max: Math.ceil(Math.max(...rows) * 1.25) + 1,
            grid: { display: false },
          }),
        },
        clip: false,
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
      columns: ["second", "member", "what"],
      rows: shown.flatMap((told) => {
        const sign = SIGNS.find(({ is }) => is(told));
        return sign === undefined ? [] : [[told.at / 1e6, told.member, sign.label]];
      }),
    },
  };
}
