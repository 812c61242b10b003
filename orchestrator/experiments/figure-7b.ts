/** Figure 7b: three data centers with uneven load, mean latency. */

import type { OracleName } from "#node/oracle/catalog.ts";
import type { Figure } from "../report/chart/figure.ts";
import { printMs } from "../report/chart/style.ts";
import type { Check, Experiment, ExperimentRun } from "./experiment.ts";
import { type LoadSweep, sweepCells, sweepFigure, sweepValue } from "./load-sweep.ts";
import { statedLeader } from "./stated-leader.ts";
import { isBestEverywhere, orderedAsPhysics, physicsAt } from "./sweep-order.ts";

const ORACLES = ["history", "rotating", "request", "consensus", "latency", "worst-case"] as const;

/** All of the load moves to D3. */
export const DEPLOYMENT_1: LoadSweep = {
  topology: "3dc",
  sites: ["caltech", "slac", "fnal"],
  to: "fnal",
  oracles: ORACLES,
};

/** All of the load moves to D2. */
export const DEPLOYMENT_3: LoadSweep = {
  topology: "3dc-3",
  sites: ["slac", "fnal", "caltech"],
  to: "fnal",
  oracles: ORACLES,
};

export const figure7b: Experiment = {
  figure: "7b",
  section: "4.3",
  claim:
    "In three data centers only latency elects the leader with the least mean latency whatever the load; " +
    "oracles that do not know the load can elect one that is seven times slower.",
  cells: (setting) => [...sweepCells(DEPLOYMENT_1, setting), ...sweepCells(DEPLOYMENT_3, setting)],
  result: (runs, conditions) => {
    const [one, three] = [meansOf(runs, DEPLOYMENT_1), meansOf(runs, DEPLOYMENT_3)];
    const factor = one("rotating", 0) / one("latency", 0);
    return {
      figures: [figure(runs, DEPLOYMENT_1, 1, conditions), figure(runs, DEPLOYMENT_3, 3, conditions)],
      comparison: [
        {
          what: "Dep. 1, p = 0, rotating",
          paper: "125.8 ms",
          physics: printMs(physicsAt(runs, DEPLOYMENT_1, "rotating", 0, "mean")),
          here: printMs(one("rotating", 0)),
        },
        {
          what: "Dep. 1, p = 0, latency",
          paper: "16.5 ms",
          physics: printMs(physicsAt(runs, DEPLOYMENT_1, "latency", 0, "mean")),
          here: printMs(one("latency", 0)),
        },
        {
          what: "Dep. 1, p = 1, latency",
          paper: "57.4 ms",
          physics: printMs(physicsAt(runs, DEPLOYMENT_1, "latency", 1, "mean")),
          here: printMs(one("latency", 1)),
        },
        {
          what: "Dep. 1, p = 1, worst-case",
          paper: "66.6 ms",
          physics: printMs(physicsAt(runs, DEPLOYMENT_1, "worst-case", 1, "mean")),
          here: printMs(one("worst-case", 1)),
        },
        {
          what: "Dep. 3, p = 1, consensus",
          paper: "111.3 ms (p4)",
          physics: printMs(physicsAt(runs, DEPLOYMENT_3, "consensus", 1, "mean")),
          here: printMs(three("consensus", 1)),
        },
        {
          what: "Dep. 3, p = 1, latency",
          paper: "57.4 ms",
          physics: printMs(physicsAt(runs, DEPLOYMENT_3, "latency", 1, "mean")),
          here: printMs(three("latency", 1)),
        },
      ],
      checks: [
        statedLeader(runs),
        ofDeployment(1, orderedAsPhysics(runs, DEPLOYMENT_1, "mean")),
        ofDeployment(3, orderedAsPhysics(runs, DEPLOYMENT_3, "mean")),
        {
          what: "Dep. 1: nobody is faster than latency at any p, ties apart",
          holds: isBestEverywhere(runs, DEPLOYMENT_1, "latency", "mean"),
        },
        {
          what: "Dep. 3: nobody is faster than latency at any p, ties apart",
          holds: isBestEverywhere(runs, DEPLOYMENT_3, "latency", "mean"),
        },
        { what: "Dep. 1, p = 0: rotating is more than seven times slower", holds: factor > 7 },
        {
          what: "request is not the best everywhere",
          holds:
            !isBestEverywhere(runs, DEPLOYMENT_1, "request", "mean") ||
            !isBestEverywhere(runs, DEPLOYMENT_3, "request", "mean"),
        },
      ],
    };
  },
};

export const ofDeployment = (deployment: number, { what, holds }: Check): Check => ({
  what: `Dep. ${deployment}: ${what}`,
  holds,
});

const meansOf =
  (runs: readonly ExperimentRun[], sweep: LoadSweep) =>
  (oracle: OracleName, p: number): number =>
    sweepValue(runs, sweep, oracle, p, "mean");

const figure = (
  runs: readonly ExperimentRun[],
  sweep: LoadSweep,
  deployment: number,
  conditions: string,
): Figure =>
  sweepFigure(runs, sweep, "mean", {
    name: `figure-7b-deployment-${deployment}`,
    title: `Deployment ${deployment}: mean latency under each oracle's leader, by where the load is`,
    caption: `mean latency after the crash; ${conditions}`,
  });
