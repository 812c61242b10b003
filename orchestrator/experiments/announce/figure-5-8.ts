import type { Claim } from "./claim.ts";
import { isAbove } from "./curves.ts";
import { byLabel, CONDITIONS, overN } from "./over-n.ts";
import { delayOfLeS, suppression } from "./subjects.ts";

export const figure58: Claim = {
  name: "5.8",
  says: "With 40 % lost LE-S takes longer, longest where each loses by itself, and far longer than SUP.",
  verdict: "The order holds. The printed sums are one T_A too high, and count the sender as a listener.",
  test: (lab) =>
    overN(lab, {
      name: "figure-5.8",
      title: "How long until the last has heard the leader, with 40 % lost?",
      caption: CONDITIONS,
      yAxis: "time of the last needed sending (T_A)",
      subjects: [
        delayOfLeS(0, "shared", 0),
        delayOfLeS(0.4, "shared", 1),
        delayOfLeS(0.4, "independent", 2),
        suppression("last", 0.4, "independent", 3),
      ],
      checks: (all) => {
        const [none, shared, each, sup] = [
          "LE-S, no loss",
          "LE-S, 40 % lost, shared",
          "LE-S, 40 % lost, independent",
          "SUP, its last, 40 % lost, independent",
        ].map((label) => byLabel(all, label));
        if (!none || !shared || !each || !sup) return [];
        return [
          { what: "each by itself > shared, from N = 3 on", holds: isAbove(each, shared, 3) },
          { what: "shared > no loss", holds: isAbove(shared, none) },
          { what: "LE-S, each by itself, > SUP", holds: isAbove(each, sup) },
        ];
      },
    }),
};
