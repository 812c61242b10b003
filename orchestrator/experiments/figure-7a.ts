/** Figure 7a: two data centers with uneven load. Who knows where the requests are halves their latency. */

import { printMs } from "../report/chart/style.ts";
import type { Experiment } from "./experiment.ts";
import { type LoadSweep, sweepBound, sweepCells, sweepFigure, sweepValue } from "./load-sweep.ts";
import { statedLeader } from "./stated-leader.ts";
import { isBestEverywhere, orderedAsPhysics, physicsAt } from "./sweep-order.ts";

const SWEEP: LoadSweep = {
  topology: "2dc",
  sites: ["tud", "cern"],
  to: "cern",
  oracles: ["history", "rotating", "request", "latency"],
};

export const figure7a: Experiment = {
  figure: "7a",
  section: "4.3",
  claim:
    "In two data centers request and latency elect the fastest leader whatever the load; with all requests " +
    "in one data center the others may need twice as long.",
  cells: (setting) => sweepCells(SWEEP, setting),
  result: (runs, conditions) => {
    const at = (oracle: "history" | "latency" | "request", p: number): number =>
      sweepValue(runs, SWEEP, oracle, p, "mean");
    return {
      figures: [
        sweepFigure(runs, SWEEP, "mean", {
          name: "figure-7a",
          title: "Two data centers: mean latency under each oracle's leader, by where the load is",
          caption: `from all of the load at tud (p = 0) to all at cern (p = 1); ${conditions}`,
        }),
      ],
      comparison: [0, 0.5, 1].flatMap((p) => [
        {
          what: `p = ${p}, history`,
          paper: p === 0 ? "about twice that of latency" : "",
          physics: printMs(physicsAt(runs, SWEEP, "history", p, "mean")),
          here: printMs(at("history", p)),
        },
        {
          what: `p = ${p}, latency`,
          paper: "",
          physics: printMs(sweepBound(runs, SWEEP, p, "mean")),
          here: printMs(at("latency", p)),
        },
      ]),
      checks: [
        statedLeader(runs),
        orderedAsPhysics(runs, SWEEP, "mean"),
        {
          what: "nobody is faster than latency at any p, ties apart",
          holds: isBestEverywhere(runs, SWEEP, "latency", "mean"),
        },
        {
          what: "nobody is faster than request at any p, ties apart",
          holds: isBestEverywhere(runs, SWEEP, "request", "mean"),
        },
        {
          what: "p = 0: history takes twice as long",
          holds: Math.abs(at("history", 0) / at("latency", 0) - 2) < 0.15,
        },
      ],
    };
  },
};
