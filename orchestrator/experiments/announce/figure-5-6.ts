import type { Claim } from "./claim.ts";
import { isAbove } from "./curves.ts";
import { byLabel, CONDITIONS, overN } from "./over-n.ts";
import { delayOfLeS, suppression } from "./subjects.ts";

export const figure56: Claim = {
  name: "5.6",
  says: "Without loss LE-S is flat in N at the mean wake-up time, and suppression alone is below it.",
  verdict: "It holds. Which moment of suppression is plotted is not said: its first and its last are shown.",
  test: (lab) =>
    overN(lab, {
      name: "figure-5.6",
      title: "How long until the last has heard the leader, without loss?",
      caption: CONDITIONS,
      yAxis: "time of the last needed sending (T_A)",
      subjects: [
        delayOfLeS(0, "shared", 0),
        suppression("first", 0, "shared", 1),
        suppression("last", 0, "shared", 2),
      ],
      checks: (all) => [
        {
          what: "SUP is below LE-S from N = 5 on, by its first and by its last",
          holds: ["first", "last"].every((which) =>
            isAbove(byLabel(all, "LE-S, no loss"), byLabel(all, `SUP, its ${which}, no loss`), 5),
          ),
        },
      ],
    }),
};
