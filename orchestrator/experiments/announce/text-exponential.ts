import type { Claim } from "./claim.ts";
import * as formulas from "./formulas.ts";
import { CONDITIONS, overN } from "./over-n.ts";
import { messagesOfLeS } from "./subjects.ts";

const STEEPNESS = 5;

export const textExponential: Claim = {
  name: "text-exponential",
  says: "Exponential wake-up times need fewer announcements under certain conditions.",
  verdict:
    "They do in large groups: with a density growing as e^(5t/T_S) about half at N = 100, for half as much " +
    "delay again. In small groups they need more.",
  test: (lab) =>
    overN(lab, {
      name: "text-exponential",
      title: "Do wake-ups that come late rather than early save announcements?",
      caption: `no loss, x = ${STEEPNESS}; ${CONDITIONS}`,
      yAxis: "announcements in T_S",
      subjects: [
        { ...messagesOfLeS(0, "shared", 0), label: "uniform" },
        {
          label: "exponential",
          look: 1,
          beginning: { election: "le-s", steepness: STEEPNESS },
          measure: "inSuppress",
          formula: (members) => formulas.lateMessages(members, 0.1, STEEPNESS),
        },
      ],
      checks: ([uniform, late]) => {
        const at = (members: number, of: typeof uniform): number =>
          of?.points.find(({ x }) => x === members)?.y.mean ?? Number.NaN;
        return [
          { what: "fewer at N = 100", holds: at(100, late) < at(100, uniform) },
          { what: "more at N = 10", holds: at(10, late) > at(10, uniform) },
        ];
      },
    }),
};
