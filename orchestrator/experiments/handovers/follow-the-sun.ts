/**
 * A day: each site's clients write most in the afternoon there. A leader stays where it is best over all, or
 * the place goes round with the sun.
 *
 * An hour passes in twenty seconds; hold-down and quiet time are shortened with it.
 */

import { Random } from "#node/core/random.ts";
import { serverId } from "#node/core/identity.ts";
import { planTrial } from "../../plan/flags.ts";
import type { ServiceRecording } from "../../recording/recording.ts";
import { sweepLines } from "../../report/chart/sweep-lines.ts";
import { simulateWith } from "../../runner/virtual/trial.ts";
import { middleOf } from "../../statistics/middle.ts";
import { parseTopology } from "../../topology/topology.ts";
import { clientsOf, type Schedule } from "../../workload/schedule.ts";
import type { Found, HandoverExperiment } from "./experiment.ts";
import { gainsOf, leaderAt, leadersOf, longestMs, meanMs, sentIn, shortest, unanswered } from "./reign.ts";

const MAP = `sites:
  america: { servers: [p1, p2], load: 1 }
  europe: { servers: [p5], load: 1 }
  asia: { servers: [p3, p4], load: 1 }
links:
  - { between: [america, europe], rtt: 90ms }
  - { between: [europe, asia], rtt: 160ms }
  - { between: [america, asia], rtt: 130ms }
`;
/** When it is three in the afternoon there, by the hours of Greenwich. */
const PEAKS = { america: 21, europe: 14, asia: 7 } as const;
const NIGHT = 0.03;
const PER_SECOND = 60;
const HOURS = 24;
const RESIGN = "margin=10%,hold=3s,quiet=10s,most=100";

const weightAt = (site: keyof typeof PEAKS, hour: number): number =>
  Math.max(NIGHT, Math.cos(((hour - PEAKS[site]) / HOURS) * 2 * Math.PI));

export const followTheSun: HandoverExperiment = {
  name: "follow-the-sun",
  title: "A leader that follows the sun beside one that stays",
  question:
    "Each site writes most in its afternoon. What does a day cost when the leader stays, and when it moves?",
  run: ({ quick, seed }) => {
    const hour = (quick ? 12 : 20) * 1e6;
    const arms = [
      { name: "stays in Europe", oracle: "latency", resign: "no", first: 5 },
      { name: "stays in America", oracle: "latency", resign: "no", first: 1 },
      { name: "moves by latency", oracle: "latency", resign: RESIGN, first: 1 },
    ].map((arm) => ({ ...arm, recording: dayOf(arm, hour, seed) }));
    return foundOf(arms, hour);
  },
};

interface Arm {
  readonly name: string;
  readonly oracle: string;
  readonly resign: string;
  readonly first: number;
}

function dayOf({ oracle, resign, first }: Arm, hour: number, seed: number): ServiceRecording {
  const lasts = (HOURS * hour) / 1e6;
  const flags = { oracle, resign, duration: `${lasts}s`, warmUp: "1s", killAt: "never", seed: String(seed) };
  const plan = planTrial({ ...flags, topology: "3dc" }, "sim");
  const topology = parseTopology(MAP, "follow-the-sun.yaml");
  const moved = { ...plan, topology, subject: { ...plan.subject, firstLeader: serverId(first) } };
  return simulateWith(moved, { load: { schedule: scheduleOfDay(hour, seed), closed: null } });
}

/** As many as at the busiest moment are drawn, and those left out that are too many then. */
function scheduleOfDay(hour: number, seed: number): Schedule {
  const clients = clientsOf(parseTopology(MAP, "follow-the-sun.yaml"));
  const arrivals: { readonly at: number; readonly client: number }[] = [];
  for (const [index, site] of (Object.keys(PEAKS) as (keyof typeof PEAKS)[]).entries()) {
    const random = new Random(seed, 100 + index);
    const own = clients.filter((client) => client.site === site).map(({ id }) => id);
    for (let at = 0; at < HOURS * hour; at += (1e6 / PER_SECOND) * random.exponential())
      if (random.unit() < weightAt(site, at / hour))
        arrivals.push({ at: Math.floor(at), client: random.pick(own) });
  }
  arrivals.sort((a, b) => a.at - b.at || a.client - b.client);
  return {
    payloadBytes: 1024,
    clients,
    intended: Float64Array.from(arrivals, ({ at }) => at),
    client: Uint16Array.from(arrivals, ({ client }) => client),
  };
}

type Day = Arm & { readonly recording: ServiceRecording };

const hours = Array.from({ length: HOURS }, (_, at) => at);

const sentInHour = ({ recording }: Day, at: number, hour: number) =>
  sentIn(recording.operations, at * hour, (at + 1) * hour);

function foundOf(days: readonly Day[], hour: number): Found {
  const ofHour = (day: Day, at: number) => sentInHour(day, at, hour);
  const chart = (name: string, title: string, yAxis: string, of: (day: Day, at: number) => number) =>
    sweepLines({
      name,
      title,
      caption: `three sites, 90 to 160 ms apart; an hour passes in ${hour / 1e6} s`,
      xAxis: "hour of the day in Greenwich",
      yAxis,
      xs: hours,
      lines: days.map((day) => ({ label: day.name, points: hours.map((at) => middleOf([of(day, at)])) })),
      bound: null,
    });
  return {
    figures: [
      chart("follow-the-sun-mean", "What a write takes, hour by hour", "mean (ms)", (day, at) =>
        meanMs(ofHour(day, at)),
      ),
      chart(
        "follow-the-sun-longest",
        "The longest wait of any write, hour by hour",
        "longest wait (ms)",
        (day, at) => longestMs(ofHour(day, at)),
      ),
    ],
    numbers: numbersOf(days, hour),
    checks: checksOf(days),
  };
}

function numbersOf(days: readonly Day[], hour: number): Found["numbers"] {
  const moving = days.at(-1);
  const gains = moving === undefined ? [] : gainsOf(moving.recording);
  const ofHour = (day: Day, at: number) => sentInHour(day, at, hour);
  return {
    columns: ["hour", ...days.flatMap(({ name }) => [`${name}: leader`, "mean, ms", "longest, ms"])],
    rows: [
      ...hours.map((at) => [
        at,
        ...days.flatMap((day) => {
          const operations = ofHour(day, at);
          const leader = `p${leaderAt(day.recording, (at + 1) * hour - 1)}`;
          return [leader, shortest(meanMs(operations)), shortest(longestMs(operations))];
        }),
      ]),
      [
        "day",
        ...days.flatMap(({ recording: { operations } }) => [
          "",
          shortest(meanMs(operations)),
          shortest(longestMs(operations)),
        ]),
      ],
      ...gains.map(({ to, ownMs = Number.NaN, otherMs = Number.NaN, beforeMs, afterMs }) => [
        `to p${to}`,
        ...days.flatMap((day) =>
          day === moving
            ? [
                "",
                `${shortest(ownMs)} to ${shortest(otherMs)} predicted`,
                `${shortest(beforeMs)} to ${shortest(afterMs)}`,
              ]
            : ["", "", ""],
        ),
      ]),
    ],
  };
}

function checksOf(days: readonly Day[]): Found["checks"] {
  const [europe, america, moves] = days.map(({ recording }) => meanMs(recording.operations));
  const moving = days.at(-1);
  const changes = moving === undefined ? 0 : leadersOf(moving.recording).length - 1;
  const gains = moving === undefined ? [] : gainsOf(moving.recording);
  return [
    {
      what: "no write failed or is unknown",
      holds: days.every(({ recording }) => unanswered(recording) === 0),
    },
    {
      what: "over the day, moving takes less than staying where it is best",
      holds: (moves ?? Number.NaN) < Math.min(europe ?? Number.NaN, america ?? Number.NaN),
    },
    { what: "the leader moves, and at most eight times", holds: changes >= 2 && changes <= 8 },
    {
      what: "every change gained at least half of what was predicted",
      holds: gains.every(
        ({ ownMs = 0, otherMs = 0, beforeMs, afterMs }) => beforeMs - afterMs >= 0.5 * (ownMs - otherMs),
      ),
    },
  ];
}
