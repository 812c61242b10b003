import type { Claim } from "./claim.ts";
import { isAbove } from "./curves.ts";
import { byLabel, CONDITIONS, overN } from "./over-n.ts";
import { messagesOfLeS, messagesOfSup } from "./subjects.ts";

export const figure59: Claim = {
  name: "5.9",
  says: "With 40 % lost LE-S sends more, most where each loses by itself, and more than SUP.",
  verdict:
    "The order holds. The printed count has 1/(1 - l) in the wrong place: at D = T_S it is N/(1 - l) > N.",
  test: (lab) =>
    overN(lab, {
      name: "figure-5.9",
      title: "How many announcements in the first round, with 40 % lost?",
      caption: CONDITIONS,
      yAxis: "announcements in T_S",
      subjects: [
        messagesOfLeS(0, "shared", 0),
        messagesOfLeS(0.4, "shared", 1),
        messagesOfLeS(0.4, "independent", 2),
        messagesOfSup(0.4, "shared", 3),
      ],
      checks: (all) => {
        const [none, shared, each, sup] = [
          "LE-S, no loss",
          "LE-S, 40 % lost, shared",
          "LE-S, 40 % lost, independent",
          "SUP, 40 % lost, shared",
        ].map((label) => byLabel(all, label));
        if (!none || !shared || !each || !sup) return [];
        return [
          { what: "lost > no loss", holds: isAbove(shared, none) && isAbove(each, none) },
          { what: "LE-S > SUP, all together", holds: isAbove(shared, sup) },
        ];
      },
    }),
};
