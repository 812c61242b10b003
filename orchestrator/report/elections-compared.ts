/**
 * What a comparison of elections says besides: when the first and the last server knew the next leader, and
 * what it took to find it. All by the servers' own events, from the fault on.
 */

import { type BarValue, comparisonBars, type ComparisonOf } from "./chart/comparison-bars.ts";
import type { Figure } from "./chart/figure.ts";
import { type ComparedRun, type Group, leadersOf, outageOf, valueOf } from "./compared-run.ts";
import { type Markup, table } from "./page/markup.ts";
import type { ServiceSummary } from "../measure/summary.ts";

/**
 * Until each server that saw the next epoch's first write knew who leads; noticing the fault is part of it.
 */
function knownOf({ recovery }: Recovered): readonly number[] {
  const servers = recovery?.servers ?? [];
  return servers
    .filter(({ firstCommit }) => firstCommit)
    .map(({ stagesMs }) => (stagesMs["noticed"] ?? 0) + (stagesMs["elected"] ?? 0));
}

type Recovered = Pick<ServiceSummary, "recovery">;

const endOf =
  (end: (...times: number[]) => number) =>
  (summary: Recovered): number | null => {
    const times = knownOf(summary);
    return times.length === 0 ? null : end(...times);
  };

export const firstKnows = endOf(Math.min);
export const lastKnows = endOf(Math.max);

export const firstKnowsOf = ({ summary }: ComparedRun): number | null => firstKnows(summary);
export const lastKnowsOf = ({ summary }: ComparedRun): number | null => lastKnows(summary);

/** Of one kind, between all servers. */
const sent =
  (of: string, unit: "messages" | "bytes") =>
  ({ summary }: ComparedRun): number | null =>
    summary.traffic.find((row) => row.of === of)?.all[unit] ?? null;

/** What servers say to each other for it, and how the kinds are called here. */
const KINDS = [
  ["elected", "election"],
  ["discovered", "discovery"],
  ["synchronized", "synchronization"],
] as const;

export function electionsTable(groups: readonly Group[]): Markup {
  const ms = (value: BarValue | null): string => value?.middle.toFixed(1) ?? "";
  const count = (value: BarValue | null): string => value?.middle.toFixed(0) ?? "";
  return table(
    [
      "election",
      "elected",
      "runs",
      "the first knows (ms)",
      "the last knows (ms)",
      "outage (ms)",
      ...KINDS.flatMap(([, name]) => [`${name}: messages`, "bytes"]),
    ],
    groups.map(({ arm, runs }) => [
      arm,
      leadersOf(runs),
      runs.length,
      ms(valueOf(runs, firstKnowsOf)),
      ms(valueOf(runs, lastKnowsOf)),
      ms(valueOf(runs, outageOf)),
      ...KINDS.flatMap(([of]) => [
        count(valueOf(runs, sent(of, "messages"))),
        count(valueOf(runs, sent(of, "bytes"))),
      ]),
    ]),
  );
}

export const ABOUT_ELECTIONS =
  "From the fault, by the servers' own events: until the first and the last of those that live knew the " +
  "next leader, and until a client was served. Messages are frames between servers, of all servers " +
  "together. With a second death the one that the oracle would have elected dies during the election.";

export function electionsFigures(groups: readonly Group[], conditions: string): readonly Figure[] {
  const labelOf = ({ arm, runs }: Group): string =>
    [...arm.replace(", second death", "\nsecond\ndeath").split("\n"), leadersOf(runs)].join("\n");
  return [
    wide({
      name: "election-times",
      title: "When do servers know the next leader, and when are clients served?",
      caption: `from the fault; whiskers: 95 % interval of the median of runs; ${conditions}`,
      unit: "time since the fault (ms)",
      series: ["the first server knows", "the last server knows", "a client is served"],
      bars: groups.map((group) => ({
        label: labelOf(group),
        values: [firstKnowsOf, lastKnowsOf, outageOf].map((of) => valueOf(group.runs, of)),
      })),
    }),
    wide({
      name: "election-messages",
      title: "What do servers say to each other to recover?",
      caption: `frames of all servers together; whiskers: 95 % interval of the median of runs; ${conditions}`,
      unit: "messages",
      series: KINDS.map(([, name]) => name),
      bars: groups.map((group) => ({
        label: labelOf(group),
        values: KINDS.map(([of]) => valueOf(group.runs, sent(of, "messages"))),
      })),
    }),
  ];
}

/** Each election stands there twice. */
const wide = (of: ComparisonOf): Figure => ({ ...comparisonBars(of), width: 1200, height: 460 });
