import type { Claim } from "./claim.ts";
import { CONDITIONS, overN } from "./over-n.ts";
import { delayOfLeS } from "./subjects.ts";

export const levelsOff: Claim = {
  name: "text-levels-off",
  says: "Where each loses by itself the delay grows with N towards an asymptote.",
  verdict: "It does not level off: every doubling of N adds ln 2 / ln(1/l) T_A, 0.76 at 40 %.",
  test: (lab) =>
    overN(lab, {
      name: "text-levels-off",
      title: "Does the delay level off where each loses by itself?",
      caption: CONDITIONS,
      yAxis: "time of the last needed sending (T_A)",
      subjects: [0.1, 0.4].map((loss, look) => delayOfLeS(loss, "independent", look)),
      checks: (all) =>
        all.map(({ subject, points }, at) => {
          const added = Math.log(2) / Math.log(1 / (at === 0 ? 0.1 : 0.4));
          const [low, high] = [points.find(({ x }) => x === 10), points.find(({ x }) => x === 100)];
          const doublings = Math.log2(10);
          const [from, to] = [low?.y, high?.y];
          const found = from && to ? (to.mean - from.mean) / doublings : Number.NaN;
          const room = from && to ? (4 * Math.hypot(from.error, to.error)) / doublings + 0.05 : 0;
          const what = `${subject.label}: from N = 10 to 100 a doubling adds ${added.toFixed(2)} T_A`;
          return { what, holds: Math.abs(found - added) < room };
        }),
    }),
};
