import { groupElections } from "#node/election/group-catalog.ts";
import { Random } from "#node/core/random.ts";
import { GroupElectionWorld } from "#node/host/virtual/group-election-world.ts";
import { type FormulaCurve, formulaPoints } from "../../report/chart/formula-points.ts";
import type { Claim } from "./claim.ts";
import type { Lab } from "./lab.ts";
import * as formulas from "./formulas.ts";
import type { LossKind } from "./formulas.ts";
import { agrees, printSample, type Sample, sampleOf } from "./sample.ts";

const SHAPE = { members: 5, listen: 3.5, suppress: 0.5, delay: 0.05 };
const LOSSES = [0, 0.1, 0.2, 0.3] as const;
/** Until all agree, and the losses before the death are as they always are. */
const SETTLED = 20;

/**
 * From the death of a leader that all follow until all that are left follow the next; null when they
 * differed.
 */
function departure(loss: number, kind: LossKind, seed: number): number | null {
  const { members, listen, suppress, delay } = SHAPE;
  const election = groupElections["le-s"];
  const shape = { election, size: members, listen, suppress, delay, [kind]: loss };
  const world = new GroupElectionWorld(shape, seed).start(1, 2, 3, 4, 5);
  world.run(SETTLED + new Random(seed, 1).unit());
  if (!world.isAgreedOn(members)) return null;
  const death = world.now;
  world.stop(members);
  world.run(death + 1000, () => world.isAgreedOn(members - 1));
  return world.now - death;
}

interface Found {
  readonly kind: LossKind;
  readonly loss: number;
  readonly found: Sample;
  readonly expected: number;
}

async function look(lab: Lab): Promise<readonly Found[]> {
  const samples: Found[] = [];
  for (const kind of ["shared", "independent"] as const) {
    for (const loss of LOSSES) {
      const times = await lab.repeat(`departure, ${loss} ${kind}`, lab.quick ? 500 : 4000, (seed) =>
        departure(loss, kind, seed),
      );
      const of = { ...SHAPE, loss };
      const expected = kind === "shared" ? formulas.sharedDeparture(of) : formulas.independentDeparture(of);
      samples.push({ kind, loss, found: sampleOf(times.filter((time) => time !== null)), expected });
    }
  }
  return samples;
}

export const textDeparture: Claim = {
  name: "text-departure",
  says: "After the death of the leader re-establishment takes T_L + 2D + E[t_s] - T_A/2, under every loss.",
  verdict:
    "It holds without loss and nearly where all lose together. Where each loses by itself it is wrong: all " +
    "must notice, and all must hear the next.",
  async test(lab) {
    const samples = await look(lab);
    const printed = formulas.departureDelay({ ...SHAPE, loss: 0 });
    const curves = (["shared", "independent"] as const).flatMap((kind, of): FormulaCurve[] => {
      const own = samples.filter((sample) => sample.kind === kind);
      return [
        {
          label: `lost, ${kind}`,
          kind: "formula",
          look: of,
          points: own.map(({ loss, expected }) => ({ x: loss, y: expected })),
        },
        {
          label: `lost, ${kind}, virtual`,
          kind: "virtual",
          look: of,
          points: own.map(({ loss, found }) => ({ x: loss, y: found })),
        },
      ];
    });
    curves.push({
      label: "as printed",
      kind: "printed",
      look: 2,
      points: LOSSES.map((loss) => ({ x: loss, y: printed })),
    });
    const worst = samples.at(-1);
    return {
      figures: [
        formulaPoints({
          name: "text-departure",
          title: "How long from the leader's death until all follow the next?",
          caption: "LE-S, N = 5, T_L = 3.5, T_S = 0.5, D = 0.05 (T_A = 1), all agreed when it died",
          xAxis: "lost",
          yAxis: "until all agree (T_A)",
          curves,
        }),
      ],
      numbers: {
        columns: ["lost", "", "formula", "printed", "virtual"],
        rows: samples.map(({ loss, kind, found, expected }) => [
          loss,
          kind,
          expected.toFixed(3),
          printed.toFixed(3),
          printSample(found),
        ]),
      },
      checks: [
        ...samples.map(({ loss, kind, found, expected }) => ({
          what: `${loss} ${kind}: agrees with the formula`,
          holds: agrees(found, expected),
        })),
        {
          what: "what is printed is refuted where each loses by itself",
          holds: worst !== undefined && !agrees(worst.found, printed),
        },
      ],
    };
  },
};
