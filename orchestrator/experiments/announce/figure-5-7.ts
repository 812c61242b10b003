import type { Claim } from "./claim.ts";
import { isAbove } from "./curves.ts";
import { byLabel, CONDITIONS, overN } from "./over-n.ts";
import { messagesOfLeS, messagesOfSup } from "./subjects.ts";

export const figure57: Claim = {
  name: "5.7",
  says: "Without loss LE-S sends more than suppression alone, for every N.",
  verdict: "It holds: N d + sum (1 - d^j)/j announcements against N d + 1 - d^N, with d = D/T_S.",
  test: (lab) =>
    overN(lab, {
      name: "figure-5.7",
      title: "How many announcements in the first round, without loss?",
      caption: CONDITIONS,
      yAxis: "announcements in T_S",
      subjects: [messagesOfLeS(0, "shared", 0), messagesOfSup(0, "shared", 1)],
      checks: (all) => [
        {
          what: "LE-S is above SUP",
          holds: isAbove(byLabel(all, "LE-S, no loss"), byLabel(all, "SUP, no loss")),
        },
      ],
    }),
};
