/**
 * Figure 8b: three data centers, both servers of D2 outdated. p1 and p4 have the same history, and either
 * must bring a server of D2 up to date before it has a quorum. The one that is nearer to D2 is done sooner,
 * and no oracle knows that.
 */

import { serverId } from "#node/core/identity.ts";
import { printMs } from "../report/chart/style.ts";
import { sweepLines } from "../report/chart/sweep-lines.ts";
import { loadTopology } from "../topology/topology.ts";
import { type Experiment, ledBy, repeated } from "./experiment.ts";
import { megabytesOf, outdatedPlan, recoveryOf, sizesLeftOut } from "./recovery-sweep.ts";
import { statedLeader } from "./stated-leader.ts";

const LEADERS = [1, 4] as const;

export const figure8b: Experiment = {
  figure: "8b",
  section: "4.4",
  claim:
    "In three data centers the fattest leader need not recover soonest: the one nearer to the outdated " +
    "servers does.",
  cells: (setting) =>
    LEADERS.flatMap((leader) =>
      megabytesOf(setting).flatMap((megabytes) =>
        repeated(setting, (index) => ({
          id: `p${leader}-${megabytes}mb-${index + 1}`,
          series: `p${leader}`,
          x: String(megabytes),
          plan: ledBy(
            outdatedPlan(loadTopology("8b"), "history", [2, 3], megabytes, setting, index),
            serverId(leader),
          ),
        })),
      ),
    ),
  omits: sizesLeftOut,
  result: (runs, conditions) => {
    const sizes = [...new Set(runs.map(({ x }) => Number(x)))].sort((a, b) => a - b);
    const at = (leader: number, megabytes: number) =>
      recoveryOf(runs.filter(({ series, x }) => series === `p${leader}` && Number(x) === megabytes));
    const stateful = sizes.filter((megabytes) => megabytes > 0);
    return {
      figures: [
        sweepLines({
          name: "figure-8b",
          title: "Which leader recovers sooner: the one near the outdated servers, or the far one?",
          caption: `from its recognising itself to its first write; D2 is nearer to p1; ${conditions}`,
          xAxis: "state that p2 and p3 lack (MB)",
          yAxis: "recovery time (ms)",
          xs: sizes,
          lines: LEADERS.map((leader) => ({
            label: leader === 1 ? "p1, near D2" : "p4, far from D2 (history)",
            points: sizes.map((megabytes) => at(leader, megabytes)),
          })),
          bound: null,
        }),
      ],
      comparison: sizes.map((megabytes) => ({
        what: `${megabytes} MB`,
        paper: "p1 sooner than p4",
        physics: "",
        here: `p1 ${printMs(at(1, megabytes)?.middle)}, p4 ${printMs(at(4, megabytes)?.middle)}`,
      })),
      checks: [
        statedLeader(runs),
        {
          what: "p1 recovers sooner than p4 with every size",
          holds:
            stateful.length > 0 &&
            stateful.every(
              (megabytes) => (at(1, megabytes)?.middle ?? 1e9) < (at(4, megabytes)?.middle ?? 0),
            ),
        },
      ],
    };
  },
};
