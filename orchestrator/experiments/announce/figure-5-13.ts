import type { Claim } from "./claim.ts";
import { isAbove } from "./curves.ts";
import { byLabel, CONDITIONS, overN } from "./over-n.ts";
import { delayOfLeM, delayOfLeS, rightOnly, suppression } from "./subjects.ts";

export const figure513: Claim = {
  name: "5.13",
  says: "With 40 % lost LE-M lies between suppression alone and LE-S.",
  verdict:
    "It holds. What LE-M gains is T_S/2 - T_S/(N + 1), where each loses by itself a tenth: rounds dominate.",
  test: (lab) =>
    overN(lab, {
      name: "figure-5.13",
      title: "What does it gain that the first to wake leads, with 40 % lost?",
      caption: `40 % lost by each; ${CONDITIONS}`,
      yAxis: "time of the last needed sending (T_A)",
      subjects: [
        rightOnly(delayOfLeS(0.4, "independent", 0)),
        delayOfLeM(0.4, "independent", 1),
        suppression("last", 0.4, "independent", 2),
      ],
      checks: (all) => {
        const le = byLabel(all, "LE-S, 40 % lost, independent");
        const leM = byLabel(all, "LE-M, 40 % lost, independent");
        const sup = byLabel(all, "SUP, its last, 40 % lost, independent");
        return [
          { what: "LE-S is above LE-M from N = 5 on", holds: isAbove(le, leM, 5) },
          { what: "LE-M is above SUP", holds: isAbove(leM, sup, 5) },
        ];
      },
    }),
};
