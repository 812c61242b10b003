/**
 * Figure 8a: two data centers at four distances, p1 outdated. Whoever lacks the state and leads all the same
 * must fetch it first, so that rotating, which elects p1, takes longer the more there is; history, which
 * elects p4, does not.
 *
 * The leader's machine dies here, and with it what it had sent. When only its process is killed, p3 still
 * gets all that p2 and p4 have; p1 then fetches the state from p3 beside it, the first to promise, and none
 * of it crosses the network. So p3 lacks what was on its way, and p1 has to fetch from where the leader was,
 * as in the paper, whose times grow with the distance.
 */

import { microseconds, milliseconds, seconds } from "#node/core/time.ts";
import type { Middle } from "../statistics/middle.ts";
import { printMs } from "../report/chart/style.ts";
import { sweepLines } from "../report/chart/sweep-lines.ts";
import { loadTopology, type Topology, withLink } from "../topology/topology.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { type Check, type Experiment, repeated, settlingLonger } from "./experiment.ts";
import { megabytesOf, outdatedPlan, recoveryOf, sizesLeftOut } from "./recovery-sweep.ts";
import { statedLeader } from "./stated-leader.ts";

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
            plan: losingMachine(outdatedPlan(apart(roundTrip), oracle, [1], megabytes, setting, index)),
          })),
        ),
      ),
    ),
  omits: sizesLeftOut,
  result: (runs, conditions) => {
    const sizes = [...new Set(runs.map(({ x }) => Number(x)))].sort((a, b) => a - b);
    const [smallest = 0, largest = 0] = [sizes[0], sizes.at(-1)];
    const at = (oracle: string, roundTrip: number, megabytes: number) =>
      recoveryOf(
        runs.filter(({ series, x }) => series === `${oracle}, ${roundTrip} ms` && Number(x) === megabytes),
      );
    const growthOf = (oracle: (typeof ORACLES)[number]): readonly Growth[] =>
      ROUND_TRIPS_MS.map((roundTrip) => ({
        roundTrip,
        least: at(oracle, roundTrip, smallest),
        most: at(oracle, roundTrip, largest),
      }));
    return {
      figures: [
        sweepLines({
          name: "figure-8a",
          title: "How long does recovery take under an outdated p1, and under p4, by the state?",
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
        here: ORACLES.map((oracle) => `${oracle} ${printMs(at(oracle, roundTrip, largest)?.middle)}`).join(
          ", ",
        ),
      })),
      checks: [
        statedLeader(runs),
        growsWithState(growthOf("rotating")),
        growsWithDistance(growthOf("rotating"), largest),
        staysFlat(growthOf("history")),
      ],
    };
  },
};

const losingMachine = (plan: ServicePlan): ServicePlan => ({
  ...settlingLonger(plan, NOTICING),
  faults: plan.faults.map(({ at, fault }) => ({
    at,
    fault: fault.kind === "crash" ? { ...fault, kind: "crash-machine" } : fault,
  })),
});

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

/** Servers notice a silence in half a second, clients after two thirds of a session of 4 s. */
const NOTICING = seconds(4);

/** Of the recovery under one leader at one distance: with the least state, and with the most. */
interface Growth {
  readonly roundTrip: number;
  readonly least: Middle | null;
  readonly most: Middle | null;
}

const growsWithState = (p1: readonly Growth[]): Check => ({
  what: `the outdated p1 takes more than twice as long with the most state, at every distance: ${told(p1)}`,
  holds: p1.every(({ least, most }) => least !== null && most !== null && most.middle > 2 * least.middle),
});

const staysFlat = (p4: readonly Growth[]): Check => ({
  what: `p4 takes at most half as long again and 20 ms more, at every distance: ${told(p4)}`,
  holds: p4.every(
    ({ least, most }) => least !== null && most !== null && most.middle <= 1.5 * least.middle + 20,
  ),
});

/**
 * Distance tells only where it keeps a connection from carrying what the machines could handle: the farthest
 * must take longest, and the others must not take much less than a nearer one.
 */
function growsWithDistance(p1: readonly Growth[], megabytes: number): Check {
  const most = p1.map((growth) => growth.most);
  const farthest = most.at(-1) ?? null;
  const isLongest =
    farthest !== null && most.slice(0, -1).every((near) => near !== null && near.middle < farthest.middle);
  const falls = most.some((far, index) => most.slice(0, index).some((near) => fellBelow(near, far)));
  const seen = p1
    .map(({ roundTrip, most: found }) => `${printMs(found?.middle)} at ${roundTrip} ms`)
    .join(", ");
  return {
    what:
      `with ${megabytes} MB the outdated p1 takes longest at the farthest, and nowhere less than at a ` +
      `nearer one by more than a quarter: ${seen}`,
    holds: isLongest && !falls,
  };
}

const fellBelow = (near: Middle | null, far: Middle | null): boolean =>
  near === null || far === null || far.middle < 0.75 * near.middle;

const told = (growths: readonly Growth[]): string =>
  growths
    .map(
      ({ roundTrip, least, most }) =>
        `${printMs(least?.middle)} to ${printMs(most?.middle)} at ${roundTrip} ms`,
    )
    .join(", ");
