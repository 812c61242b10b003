/**
 * Figure 4b: two data centers, tud and cern. Before the crash the leader p5 has a whole quorum in cern and
 * half of the writes wait for nothing but the link from tud; afterwards every transaction has to cross,
 * whoever leads.
 */

import type { Figure } from "../report/chart/figure.ts";
import { comparisonBars } from "../report/chart/comparison-bars.ts";
import { printMs } from "../report/chart/style.ts";
import { middleOf } from "../statistics/middle.ts";
import { mean } from "../statistics/summary.ts";
import { loadTopology } from "../topology/topology.ts";
import { type Experiment, type ExperimentRun, paperPlan, repeated, weightedMean } from "./experiment.ts";
import { statedLeader } from "./stated-leader.ts";

const ROUND_TRIP_MS = 20.75;
const EVEN = { tud: 1, cern: 1 };
const ORACLES = ["rotating", "history"] as const;

export const figure4b: Experiment = {
  figure: "4b",
  section: "4.2",
  claim:
    "In two data centers any oracle gives the same mean latency after the crash, " +
    "about three times what it was.",
  cells: (setting) =>
    ORACLES.flatMap((oracle) =>
      repeated(setting, (index) => ({
        id: `${oracle}-${index + 1}`,
        series: oracle,
        x: "",
        plan: paperPlan(loadTopology("2dc"), oracle, setting, index),
      })),
    ),
  result: (runs, conditions) => {
    const before = mean(runs.map(({ summary }) => beforeMs(summary)));
    const after = ORACLES.map((oracle) =>
      mean(runs.filter(({ series }) => series === oracle).map(({ summary }) => weightedMean(summary, EVEN))),
    );
    const [rotating = Number.NaN, history = Number.NaN] = after;
    const [elected = "", electedByHistory = ""] = ORACLES.map((oracle) => leadersOf(runs, oracle));
    const isOneRoundTripMore = Math.abs(history - before - ROUND_TRIP_MS) < 0.12 * ROUND_TRIP_MS;
    return {
      figures: [bars(runs, conditions)],
      comparison: [
        {
          what: "before the crash, p5",
          paper: "about 10 ms",
          physics: modelOf(runs, "before"),
          here: printMs(before),
        },
        {
          what: `after it, rotating (${elected})`,
          paper: "about 30 ms",
          physics: modelOf(runs, "after", "rotating"),
          here: printMs(rotating),
        },
        {
          what: `after it, history (${electedByHistory})`,
          paper: "about 30 ms",
          physics: modelOf(runs, "after", "history"),
          here: printMs(history),
        },
      ],
      checks: [
        statedLeader(runs),
        { what: "both give the same mean within 5 %", holds: Math.abs(rotating - history) < 0.05 * history },
        { what: "a write takes one round trip between the sites more", holds: isOneRoundTripMore },
      ],
    };
  },
};

/** What physics allows the leaders that there were. */
function modelOf(runs: readonly ExperimentRun[], phase: "before" | "after", oracle?: string): string {
  const own = runs.filter(({ series }) => oracle === undefined || series === oracle);
  return printMs(mean(own.map(({ summary }) => summary.physics[phase]?.modelMs ?? Number.NaN)));
}

const beforeMs = ({ latencyMs }: ExperimentRun["summary"]): number =>
  mean(Object.keys(EVEN).map((site) => latencyMs.sites[site]?.before?.mean ?? Number.NaN));

export function leadersOf(runs: readonly ExperimentRun[], series: string): string {
  const leaders = runs
    .filter((run) => run.series === series)
    .map(({ summary }) => `p${summary.leaders.after}`);
  return [...new Set(leaders)].sort().join(", ");
}

function bars(runs: readonly ExperimentRun[], conditions: string): Figure {
  const sites = Object.keys(EVEN);
  const groups = [
    { label: "before\np5 leads", of: runs, phase: "before" as const },
    ...ORACLES.map((oracle) => ({
      label: `${oracle}\n${leadersOf(runs, oracle)} leads`,
      of: runs.filter(({ series }) => series === oracle),
      phase: "after" as const,
    })),
  ];
  return comparisonBars({
    name: "figure-4b",
    title: "Two data centers: how long do writes take before the crash, and after it?",
    caption: `by site of the client; whiskers: 95 % interval of the median of runs; ${conditions}`,
    unit: "mean latency (ms)",
    series: sites,
    bars: groups.map(({ label, of, phase }) => ({
      label,
      values: sites.map((site) => {
        const found = of.flatMap(({ summary }) => summary.latencyMs.sites[site]?.[phase]?.mean ?? []);
        const interval = middleOf(found);
        const model = of[0]?.summary.physics[phase]?.sites[site]?.modelMs ?? null;
        return interval === null ? null : { ...interval, model };
      }),
    })),
  });
}
