import { groupElections } from "#node/election/group-catalog.ts";
import { GroupElectionWorld } from "#node/host/virtual/group-election-world.ts";
import { type FormulaCurve, formulaPoints } from "../../report/chart/formula-points.ts";
import type { Claim } from "./claim.ts";
import * as formulas from "./formulas.ts";
import { agrees, printSample, type Sample, sampleOf } from "./sample.ts";

const MEMBERS = 10;
const MOMENTS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9] as const;
const LOSSES = [0, 0.4] as const;
const D = 0.1;

export const textBelievers: Claim = {
  name: "text-believers",
  says: "During the first round several take themselves for the leader at once.",
  verdict: "At a moment t they are sum over k of (1 - (1 - l) P(t - D))^k; t/T_S of them have said so.",
  async test(lab) {
    const runs = lab.quick ? 500 : 4000;
    const found: { loss: number; at: number; believing: Sample }[] = [];
    for (const loss of LOSSES) {
      const shape = { election: groupElections["le-s"], size: MEMBERS, suppress: 1, delay: D, shared: loss };
      const counts = await lab.repeat(`believers, ${loss}`, runs, (seed) => {
        const world = new GroupElectionWorld(shape, seed);
        world.start(...Array.from({ length: MEMBERS }, (_, index) => index + 1));
        return MOMENTS.map((at) => {
          world.run(at);
          return world.claimants;
        });
      });
      for (const [index, at] of MOMENTS.entries())
        found.push({ loss, at, believing: sampleOf(counts.map((each) => each[index] ?? 0)) });
    }
    const expected = (loss: number, at: number) => formulas.believers(MEMBERS, loss, D, at);
    const fine = Array.from({ length: 91 }, (_, at) => at / 100);
    const curves = LOSSES.flatMap((loss, look): FormulaCurve[] => [
      {
        label: `believe, ${100 * loss} % lost`,
        kind: "formula",
        look,
        points: fine.map((x) => ({ x, y: expected(loss, x).believing })),
      },
      {
        label: `of them have spoken, ${100 * loss} % lost`,
        kind: "formula",
        look: look + 2,
        points: fine.map((x) => ({ x, y: expected(loss, x).announcing })),
      },
      {
        label: `believe, ${100 * loss} % lost, virtual`,
        kind: "virtual",
        look,
        points: found
          .filter((one) => one.loss === loss)
          .map(({ at, believing }) => ({ x: at, y: believing })),
      },
    ]);
    return {
      figures: [
        formulaPoints({
          name: "text-believers",
          title: "How many take themselves for the leader in the first round?",
          caption: `LE-S, N = ${MEMBERS}, T_S = T_A = 1, D = ${D}, all lose together`,
          xAxis: "time since the beginning (T_S)",
          yAxis: "members",
          curves,
        }),
      ],
      numbers: {
        columns: ["lost", "at", "formula", "virtual"],
        rows: found.map(({ loss, at, believing }) => [
          loss,
          at,
          expected(loss, at).believing.toFixed(3),
          printSample(believing),
        ]),
      },
      checks: found.map(({ loss, at, believing }) => ({
        what: `${loss} lost, at ${at}: agrees with the formula`,
        holds: agrees(believing, expected(loss, at).believing),
      })),
    };
  },
};
