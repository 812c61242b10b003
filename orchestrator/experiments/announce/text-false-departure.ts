import { groupElections } from "#node/election/group-catalog.ts";
import { GroupElectionWorld } from "#node/host/virtual/group-election-world.ts";
import { type FormulaCurve, formulaPoints } from "../../report/chart/formula-points.ts";
import type { Claim } from "./claim.ts";
import type { Lab } from "./lab.ts";
import * as formulas from "./formulas.ts";
import { agrees, printSample, type Sample, sampleOf } from "./sample.ts";

const MEMBERS = 5;
const LISTENS = [1.25, 1.5, 1.75, 2.25, 2.5, 2.75, 3.25, 3.5] as const;
const LOSS = 0.3;
/** So many stretches are looked at, each as long. */
const STRETCHES = 40;

interface Found {
  readonly kind: formulas.LossKind;
  readonly listen: number;
  readonly share: Sample;
  readonly expected: number;
}

async function look(lab: Lab): Promise<readonly Found[]> {
  const found: Found[] = [];
  const length = lab.quick ? 200 : 2000;
  for (const kind of ["shared", "independent"] as const) {
    for (const listen of LISTENS) {
      const shape = { election: groupElections["le-s"], size: MEMBERS, suppress: 0.5, listen, [kind]: LOSS };
      const shares = await lab.repeat(`false alarms, T_L ${listen}, ${kind}`, STRETCHES, (seed) => {
        const world = new GroupElectionWorld(shape, seed).start(1, 2, 3, 4, 5);
        world.run(20);
        return world.disagreement(20 + length);
      });
      const expected = formulas.falseShare(kind, LOSS, MEMBERS, listen);
      found.push({ kind, listen, share: sampleOf(shares), expected });
    }
  }
  return found;
}

const FINE = Array.from({ length: 101 }, (_, at) => 1 + at / 40);

const curvesOf = (found: readonly Found[]): readonly FormulaCurve[] => [
  ...(["shared", "independent"] as const).flatMap((kind, of): FormulaCurve[] => [
    {
      label: kind,
      kind: "formula",
      look: of,
      points: FINE.map((x) => ({ x, y: formulas.falseShare(kind, LOSS, MEMBERS, x) })),
    },
    {
      label: `${kind}, virtual`,
      kind: "virtual",
      look: of,
      points: found.filter((one) => one.kind === kind).map(({ listen, share }) => ({ x: listen, y: share })),
    },
  ]),
  {
    label: "as printed",
    kind: "printed",
    look: 2,
    points: [1, 1.25, 1.4].map((x) => ({ x, y: formulas.printedFalseShare(LOSS, x) })),
  },
];

export const falseDeparture: Claim = {
  name: "text-false-departure",
  says:
    "Followers leave a leader that lives for 1 - T_L (1 - l)/T_A of the time; T_L above the mean run of " +
    "losses avoids it.",
  verdict:
    "What is printed holds for T_L < T_A where all lose together, and is below 0 soon after. The rule does " +
    "not avoid it: 100 members that lose 40 % each would differ for 59 % of the time. For a share of e at " +
    "most take T_L of ln(e/M)/ln l heartbeats.",
  async test(lab) {
    const found = await look(lab);
    return {
      figures: [
        formulaPoints({
          name: "text-false-departure",
          title: "For how much of the time do members leave a leader that lives?",
          caption: `LE-S, N = ${MEMBERS}, ${100 * LOSS} % lost, T_S = 0.5, D = 0.05 (T_A = 1)`,
          xAxis: "T_L (T_A)",
          yAxis: "share of time in disagreement",
          curves: curvesOf(found),
        }),
      ],
      numbers: {
        columns: ["T_L", "", "formula", "printed", "virtual"],
        rows: found.map(({ kind, listen, share, expected }) => [
          listen,
          kind,
          expected.toFixed(4),
          formulas.printedFalseShare(LOSS, listen).toFixed(4),
          printSample(share, 4),
        ]),
      },
      checks: [
        ...found.map(({ kind, listen, share, expected }) => ({
          what: `T_L ${listen}, ${kind}: agrees with the formula`,
          holds: agrees(share, expected),
        })),
        {
          what: "what is printed is refuted",
          holds: found.some(({ share, listen }) => !agrees(share, formulas.printedFalseShare(LOSS, listen))),
        },
      ],
    };
  },
};
