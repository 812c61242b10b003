import type { Claim } from "./claim.ts";
import { isAbove } from "./curves.ts";
import { byLabel, CONDITIONS, overN } from "./over-n.ts";
import { messagesOfLeM, messagesOfLeS, messagesOfSup } from "./subjects.ts";

export const figure512: Claim = {
  name: "5.12",
  says: "In the first round LE-M lies on suppression alone, below LE-S.",
  verdict: "It holds, and is an identity: up to T_S the two are the same program, step by step.",
  test: (lab) =>
    overN(lab, {
      name: "figure-5.12",
      title: "How many announcements in the first round, and when is the last?",
      caption: CONDITIONS,
      yAxis: "announcements in T_S",
      subjects: [
        messagesOfLeS(0, "shared", 0),
        messagesOfLeM(0, "shared", 1),
        messagesOfSup(0, "shared", 2),
        messagesOfLeM(0.4, "independent", 3),
        messagesOfSup(0.4, "independent", 4),
      ],
      checks: (all) => {
        const same = (loss: string): boolean =>
          byLabel(all, `LE-M, ${loss}`).points.every(
            ({ y }, at) => y.mean === byLabel(all, `SUP, ${loss}`).points[at]?.y.mean,
          );
        return [
          {
            what: "LE-M is below LE-S",
            holds: isAbove(byLabel(all, "LE-S, no loss"), byLabel(all, "LE-M, no loss")),
          },
          { what: "seed by seed LE-M is SUP, without loss", holds: same("no loss") },
          { what: "and with 40 % lost by each", holds: same("40 % lost, independent") },
        ];
      },
    }),
};
