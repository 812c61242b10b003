/** Figure 7c: the same runs as Figure 7b, by the data center whose clients are worst off. */

import { printMs } from "../report/chart/style.ts";
import type { Experiment } from "./experiment.ts";
import { DEPLOYMENT_1, DEPLOYMENT_3, ofDeployment } from "./figure-7b.ts";
import { SHARES, sweepCells, sweepFigure, sweepValue } from "./load-sweep.ts";
import { statedLeader } from "./stated-leader.ts";
import { isBestEverywhere, orderedAsPhysics, physicsAt } from "./sweep-order.ts";

export const figure7c: Experiment = {
  figure: "7c",
  section: "4.3",
  claim:
    "Who minimises the latency to a quorum does not minimise that of the worst-off clients; worst-case does.",
  cells: (setting) => [...sweepCells(DEPLOYMENT_1, setting), ...sweepCells(DEPLOYMENT_3, setting)],
  result: (runs, conditions) => {
    const worst = (oracle: "consensus" | "worst-case", p: number): number =>
      sweepValue(runs, DEPLOYMENT_1, oracle, p, "worst");
    // Of the leaders that there were: where consensus has a tie, each run may have had another.
    const allowed = (oracle: "consensus" | "worst-case"): number =>
      Math.max(...SHARES.map((p) => physicsAt(runs, DEPLOYMENT_1, oracle, p, "worst")));
    const byConsensus = Math.max(...SHARES.map((p) => worst("consensus", p)));
    const byWorstCase = Math.max(...SHARES.map((p) => worst("worst-case", p)));
    return {
      figures: [DEPLOYMENT_1, DEPLOYMENT_3].map((sweep, index) =>
        sweepFigure(runs, sweep, "worst", {
          name: `figure-7c-deployment-${index === 0 ? 1 : 3}`,
          title: `Deployment ${index === 0 ? 1 : 3}: the worst-off clients under each oracle's leader`,
          caption: `sites without load are probed with 1 % of it; ${conditions}`,
        }),
      ),
      comparison: [
        {
          what: "Dep. 1, consensus against worst-case",
          paper: "about 20 ms more",
          physics: `${printMs(allowed("consensus") - allowed("worst-case"))} more`,
          here: `${printMs(byConsensus - byWorstCase)} more`,
        },
        {
          what: "Dep. 1, worst-case",
          paper: "",
          physics: printMs(allowed("worst-case")),
          here: printMs(byWorstCase),
        },
      ],
      checks: [
        statedLeader(runs),
        ofDeployment(1, orderedAsPhysics(runs, DEPLOYMENT_1, "worst")),
        ofDeployment(3, orderedAsPhysics(runs, DEPLOYMENT_3, "worst")),
        {
          what: "Dep. 1: nobody serves the worst-off clients faster than worst-case at any p, ties apart",
          holds: isBestEverywhere(runs, DEPLOYMENT_1, "worst-case", "worst"),
        },
        {
          what: "Dep. 3: nobody serves the worst-off clients faster than worst-case at any p, ties apart",
          holds: isBestEverywhere(runs, DEPLOYMENT_3, "worst-case", "worst"),
        },
      ],
    };
  },
};
