import { formulaPoints } from "../../report/chart/formula-points.ts";
import type { Claim } from "./claim.ts";
import * as formulas from "./formulas.ts";
import { agrees, printSample } from "./sample.ts";

const [LOSS, MEMBERS] = [0.4, 10];
const SHARED = [0, 0.1, 0.2, 0.3, 0.4];
const ALONG = Array.from({ length: 41 }, (_, at) => at / 100);

/** How long it takes when networks lose in both ways, which the chapter looks at one at a time. */
export const textMixed: Claim = {
  name: "text-mixed",
  says: "What is lost is lost by all at once, or by each for itself.",
  verdict:
    "Networks do both. Where s of the loss is of all, (1 + R)/(1 - s) - 1 rounds are lost, R of what each " +
    "loses besides: every part that all lose together makes the others wait less.",
  test: async (lab) => {
    const formula = (shared: number): number => 0.5 + formulas.mixedRounds(LOSS, shared, MEMBERS - 1);
    const points = [];
    for (const shared of SHARED) {
      const { delay } = await lab.begin({ election: "le-s", members: MEMBERS, loss: LOSS, shared });
      points.push({ x: shared, y: delay });
    }
    const wrong = points.filter(({ x, y }) => !agrees(y, formula(x)));
    const label = "LE-S";
    return {
      figures: [
        formulaPoints({
          name: "text-mixed",
          title: "What if a part of the loss is shared?",
          caption: `${MEMBERS} members, 40 % lost in all; T_S = T_A = 1, D = 0.1, all begin together`,
          yAxis: "time of the last needed sending (T_A)",
          xAxis: "lost by all at once, of all messages",
          logarithmic: false,
          curves: [
            {
              label,
              kind: "formula",
              look: 0,
              points: ALONG.map((x) => ({ x, y: formula(x) })),
            },
            { label: `${label}, virtual`, kind: "virtual", look: 0, points },
          ],
        }),
      ],
      numbers: {
        columns: ["lost by all", "formula", "virtual"],
        rows: points.map(({ x, y }) => [x, formula(x).toFixed(3), printSample(y)]),
      },
      checks: [
        {
          what:
            "LE-S of 10, 40 % lost: every part shared agrees with the formula" +
            (wrong.length === 0 ? "" : `, not at ${wrong.map(({ x }) => x).join(", ")}`),
          holds: wrong.length === 0,
        },
      ],
    };
  },
};
