/**
 * Figure 8a: two data centers at four distances, p1 outdated. Whoever lacks the state and leads all the same
 * must fetch it first, so that rotating, which elects p1, takes longer the more there is; history, which
 * elects p4, does not.
 */

import { microseconds, milliseconds } from "#node/core/time.ts";
import { printMs } from "../report/chart/style.ts";
import { sweepLines } from "../report/chart/sweep-lines.ts";
import { loadTopology, type Topology, withLink } from "../topology.ts";
import { type Experiment, type ExperimentRun, repeated } from "./experiment.ts";
import { megabytesOf, outdatedPlan, recoveryOf } from "./recovery-sweep.ts";

const ROUND_TRIPS_MS = [0, 9.88, 20.75, 77.06] as const;
const ORACLES = ["history", "rotating"] as const;

export const figure8a: Experiment = {
  figure: "8a",
  section: "4.4",
  claim:
    "In two data centers the fattest leader recovers soonest; an outdated one takes longer with the size " +
    "of the state.",
  cells: (setting) =>
    ROUND_TRIPS_MS.flatMap((roundTrip) =>
      ORACLES.flatMap((oracle) =>
        megabytesOf(setting).flatMap((megabytes) =>
          repeated(setting, (index) => ({
            id: `${roundTrip}ms-${oracle}-${megabytes}mb-${index + 1}`,
            series: `${oracle}, ${roundTrip} ms`,
            x: String(megabytes),
            plan: outdatedPlan(apart(roundTrip), oracle, [1], megabytes, setting, index),
          })),
        ),
      ),
    ),
  result: (runs, conditions) => {
    const sizes = [...new Set(runs.map(({ x }) => Number(x)))].sort((a, b) => a - b);
    const [smallest = 0, largest = 0] = [sizes[0], sizes.at(-1)];
    const at = (oracle: string, roundTrip: number, megabytes: number) =>
      recoveryOf(
        runs.filter(({ series, x }) => series === `${oracle}, ${roundTrip} ms` && Number(x) === megabytes),
      );
    const grows = ROUND_TRIPS_MS.every(
      (roundTrip) =>
        (at("rotating", roundTrip, largest)?.mean ?? 0) >
        2 * (at("rotating", roundTrip, smallest)?.mean ?? 0),
    );
    const flat = ROUND_TRIPS_MS.every(
      (roundTrip) =>
        (at("history", roundTrip, largest)?.mean ?? 0) <
        1.5 * (at("history", roundTrip, smallest)?.mean ?? 0) + 20,
    );
    return {
      figures: [
        sweepLines({
          name: "figure-8a",
          title: "Recovery of an outdated p1 grows with the state, that of p4 does not",
          caption: `from the leader recognising itself to its first write, by round-trip time; ${conditions}`,
          xAxis: "state that p1 lacks (MB)",
          yAxis: "recovery time (ms)",
          xs: sizes,
          lines: ORACLES.flatMap((oracle) =>
            ROUND_TRIPS_MS.map((roundTrip, look) => ({
              look,
              strong: oracle === "rotating",
              label: `${oracle === "history" ? "p4 (history)" : "p1 (rotating)"}, ${roundTrip} ms`,
              points: sizes.map((megabytes) => at(oracle, roundTrip, megabytes)),
            })),
          ),
          bound: null,
        }),
      ],
      comparison: ROUND_TRIPS_MS.map((roundTrip) => ({
        what: `rtt ${roundTrip} ms, ${largest} MB`,
        paper: "p1 grows with size and rtt, p4 stays",
        physics: "",
        here: ORACLES.map((oracle) => `${oracle} ${printMs(at(oracle, roundTrip, largest)?.mean)}`).join(
          ", ",
        ),
      })),
      checks: [
        { what: "history elects p4, rotating p1", holds: runs.every(electsAsExpected) },
        { what: "the outdated p1 takes longer with more state, at every distance", holds: grows },
        { what: "p4 does not", holds: flat },
      ],
    };
  },
};

function apart(roundTripMs: number): Topology {
  const topology = loadTopology("8a");
  const inside = topology.link("d1", "d1");
  const shape =
    roundTripMs === 0
      ? inside
      : { delay: milliseconds(roundTripMs / 2), jitter: scaled(topology, roundTripMs) };
  return withLink(withLink(topology, "d1", "d2", shape), "d2", "d1", shape);
}

/** 2 % of the mean, as everywhere in the paper. */
function scaled(topology: Topology, roundTripMs: number) {
  const { jitter } = topology.link("d1", "d2");
  return jitter === null ? null : { ...jitter, scale: microseconds(roundTripMs * 10) };
}

const electsAsExpected = ({ series, summary }: ExperimentRun): boolean =>
  summary.leaders.after === (series.startsWith("history") ? 4 : 1);
