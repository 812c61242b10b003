import { milliseconds } from "#node/core/time.ts";
import type { Claim } from "./claim.ts";
import { isAbove, type Subject } from "./curves.ts";
import { byLabel, CONDITIONS, overN } from "./over-n.ts";
import { delayOfLeA, delayOfLeS, rightOnly } from "./subjects.ts";

/** 60 % of 70 announcements arrive; what comes at one instant beyond that finds no place. */
const BUFFER = { places: 42, each: milliseconds(0.1) };
const LOSS = 0.4;

const crowded = (election: "le-a" | "le-s", look: number): Subject => ({
  label: `${election === "le-a" ? "LE-A" : "LE-S"}, and a buffer of 42`,
  look,
  beginning: {
    election,
    loss: LOSS,
    kind: "independent",
    suppress: election === "le-a" ? 0 : 1,
    buffer: BUFFER,
  },
  measure: "delay",
  formula: null,
});

export const figure511: Claim = {
  name: "5.11",
  says: "LE-S takes E[t_s] longer than LE-A; LE-A worsens from N = 70 on, and is slower from N = 200 on.",
  verdict:
    "The first part holds. With a loss that does not depend on how many speak LE-A never worsens; it does " +
    "where a listener's buffer overflows. With 42 places, read at 0.1 ms each, it worsens from N = 70 on.",
  test: (lab) =>
    overN(lab, {
      name: "figure-5.11",
      title: "Is silence at the beginning worth its time?",
      caption: `40 % lost by each; ${CONDITIONS}`,
      yAxis: "time of the last needed sending (T_A)",
      larger: [150, 200, 350],
      subjects: [
        rightOnly(delayOfLeS(LOSS, "independent", 0)),
        delayOfLeA(LOSS, "independent", 1),
        crowded("le-s", 2),
        crowded("le-a", 3),
      ],
      checks: (all) => {
        const plain = { s: all[0], a: all[1] };
        const s = byLabel(all, "LE-S, and a buffer of 42");
        const a = byLabel(all, "LE-A, and a buffer of 42");
        const isSlower = a.points.map(({ y }, at) => y.mean > (s.points[at]?.y.mean ?? Infinity));
        const crossing = a.points[isSlower.lastIndexOf(false) + 1];
        const found = crossing === undefined ? "nowhere up to here" : `from N = ${crossing.x} on`;
        return [
          {
            what: "LE-S is above LE-A where loss does not depend on how many speak",
            holds: plain.s !== undefined && plain.a !== undefined && isAbove(plain.s, plain.a),
          },
          {
            what: `with a buffer LE-A worsens, and is the slower one ${found}`,
            holds:
              plain.a !== undefined &&
              (plain.a.points.at(-1)?.y.high ?? Infinity) < (a.points.at(-1)?.y.low ?? 0),
          },
        ];
      },
    }),
};
