import type { Claim } from "./claim.ts";
import { printSample, sampleOf } from "./sample.ts";
import { groupElections } from "#node/election/group-catalog.ts";
import { firstRound } from "#node/host/virtual/group-election-world.ts";

const SILENCES = [0.9, 1, 2, 3] as const;
const MEMBERS = 10;
const LOSS = 0.4;

export const textRepeats: Claim = {
  name: "text-repeats",
  says: "T_A >= T_S + D is needed, else early announcers repeat themselves.",
  verdict:
    "It is a weak need: only who was not silenced repeats. Up to T_S = T_A nothing is seen of it, and the " +
    "thesis' own figures have T_S = T_A.",
  async test(lab) {
    const runs = lab.quick ? 1000 : 10_000;
    const found = [];
    for (const suppress of SILENCES) {
      const delay = suppress / 10;
      const shape = { election: groupElections["le-s"], size: MEMBERS, suppress, delay, shared: LOSS };
      const counts = await lab.repeat(
        `T_S = ${suppress}`,
        runs,
        (seed) => firstRound(shape, seed).inSuppress,
      );
      found.push({ suppress, sent: sampleOf(counts) });
    }
    const first = found[0]?.sent.mean ?? Number.NaN;
    return {
      figures: [],
      numbers: {
        columns: ["T_S (T_A), D = T_S/10", "announcements in T_S", "more than at 0.9"],
        rows: found.map(({ suppress, sent }) => [
          suppress,
          printSample(sent, 2),
          `${(100 * (sent.mean / first - 1)).toFixed(1)} %`,
        ]),
      },
      checks: [
        {
          what: "with T_S = T_A they are at most 2 % more",
          holds: (found[1]?.sent.low ?? Infinity) < 1.02 * first,
        },
      ],
    };
  },
};
