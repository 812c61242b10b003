import type { Claim } from "./claim.ts";
import { CONDITIONS, overN } from "./over-n.ts";
import { delayOfLeS, rightOnly } from "./subjects.ts";

const LOSSES = [0, 0.1, 0.2, 0.3, 0.4] as const;

export const figure510: Claim = {
  name: "5.10",
  says: "Where all lose together the delay of LE-S does not depend on N, whatever is lost.",
  verdict: "It holds, at E[t_s] + T_A l/(1 - l); with everything lost it never ends.",
  test: (lab) =>
    overN(lab, {
      name: "figure-5.10",
      title: "Does the delay depend on N where all lose together?",
      caption: CONDITIONS,
      yAxis: "time of the last needed sending (T_A)",
      subjects: LOSSES.map((loss, look) => rightOnly(delayOfLeS(loss, "shared", look))),
      checks: () => [],
    }),
};
