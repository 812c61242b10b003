import { groupElections } from "#node/election/group-catalog.ts";
import { Random } from "#node/core/random.ts";
import { seconds } from "#node/core/time.ts";
import { GroupElectionWorld } from "#node/host/virtual/group-election-world.ts";
import type { Claim } from "./claim.ts";
import * as formulas from "./formulas.ts";
import type { LossKind } from "./formulas.ts";
import { agrees, printSample, type Sample, sampleOf } from "./sample.ts";

type Joiner = "larger" | "smaller" | "smaller, asks";

const D = 0.05;
const CASES: readonly (readonly [Joiner, number, LossKind, number])[] = [
  ["larger", 5, "independent", 0],
  ["larger", 5, "independent", 0.1],
  ["larger", 10, "independent", 0.4],
  ["larger", 10, "shared", 0.4],
  ["smaller", 5, "independent", 0],
  ["smaller", 5, "independent", 0.1],
  ["smaller", 10, "independent", 0.4],
  ["smaller, asks", 5, "independent", 0],
];

/** Until all whom it concerns follow the greatest, from when a late one begins. */
function joining([joiner, old, kind, loss]: (typeof CASES)[number], seed: number): number {
  const asks = joiner === "smaller, asks";
  const election = groupElections[asks ? "le-q" : "le-s"];
  const size = old + 1;
  const shape = {
    election,
    size,
    suppress: asks ? 0 : 0.5,
    delay: D,
    [kind]: loss,
    more: asks ? { query: seconds(4 * D) } : {},
  };
  const [late, others] = joiner === "larger" ? [size, 0] : [1, 1];
  const world = new GroupElectionWorld(shape, seed);
  world.start(...Array.from({ length: old }, (_, index) => index + 1 + others));
  world.run(50 + new Random(seed, 2).unit());
  const begun = world.now;
  world.start(late);
  world.run(begun + 1000, () => world.isAgreedOn(size));
  return world.now - begun;
}

function expected([joiner, old, kind, loss]: (typeof CASES)[number]): number {
  if (joiner === "larger") return formulas.largerJoiner(kind, loss, old, 0.5) + D;
  return joiner === "smaller" ? formulas.smallerJoiner(loss) : 2 * D * (1 - D);
}

/** With a try too many, and the sum over all where one alone must hear. */
const printed = ([joiner, old, kind, loss]: (typeof CASES)[number]): number | null =>
  joiner === "larger"
    ? 0.25 + D + (kind === "shared" ? 1 / (1 - loss) : 1 + formulas.rounds(loss, old))
    : joiner === "smaller"
      ? 0.5 + formulas.rounds(loss, old + 1) + (loss > 0 ? 1 : 0)
      : null;

export const textJoiners: Claim = {
  name: "text-joiners",
  says: "A larger joiner costs as much as a beginning; a smaller one waits for the next heartbeat all hear.",
  verdict:
    "A larger one does, with as many listeners as there were members. A smaller one waits T_A/2, and " +
    "l/(1 - l) under both losses, for it alone must hear. If it asks first it waits 2D(1 - D/T_A).",
  async test(lab) {
    const runs = lab.quick ? 500 : 4000;
    const found: Sample[] = [];
    for (const one of CASES)
      found.push(sampleOf(await lab.repeat(`${one.join(" ")}`, runs, (seed) => joining(one, seed))));
    return {
      figures: [],
      numbers: {
        columns: ["joiner", "members before", "lost", "", "formula", "printed", "virtual"],
        rows: CASES.map((one, at) => [
          one[0],
          one[1],
          one[3],
          one[2],
          expected(one).toFixed(3),
          printed(one)?.toFixed(3) ?? "",
          ((sample) => (sample === undefined ? "" : printSample(sample)))(found[at]),
        ]),
      },
      checks: CASES.map((one, at) => {
        const sample = found[at];
        return {
          what: `${one[0]} of ${one[1]}, ${one[3]} ${one[2]}: agrees with the formula`,
          holds: sample !== undefined && agrees(sample, expected(one)),
        };
      }),
    };
  },
};
