import { groupElections } from "#node/election/group-catalog.ts";
import { GroupElectionWorld } from "#node/host/virtual/group-election-world.ts";
import type { Claim } from "./claim.ts";
import * as formulas from "./formulas.ts";
import { agrees, printSample, sampleOf } from "./sample.ts";

const CASES = [
  { members: 5, loss: 0.1 },
  { members: 50, loss: 0.1 },
  { members: 50, loss: 0.4 },
] as const;
const D = 0.05;

export const textBye: Claim = {
  name: "text-bye",
  says: "A leaving leader says so as often as tries are expected until all have heard it.",
  verdict:
    "Then all hear it in 77 to 96 % of cases only. b copies reach M listeners with (1 - l^b)^M, so 99 % " +
    "take ln(1 - 0.99^(1/M))/ln l copies.",
  async test(lab) {
    const runs = lab.quick ? 500 : 4000;
    const found = [];
    for (const { members, loss } of CASES) {
      const enough = formulas.byeCopies("independent", loss, members - 1, 0.99);
      const expectedTries = Math.ceil(1 + formulas.rounds(loss, members - 1));
      for (const copies of new Set([expectedTries, enough])) {
        const election = groupElections["le-s"];
        const shape = { election, size: members, suppress: 0.5, independent: loss, more: { bye: copies } };
        const heard = await lab.repeat(`${copies} Byes to ${members - 1}`, runs, (seed) => {
          const world = new GroupElectionWorld(shape, seed);
          world.start(...Array.from({ length: members }, (_, index) => index + 1));
          world.run(1000, () => world.isAgreedOn(members));
          world.leave(members);
          world.run(world.now + D);
          return world.followersOf(members) === 0 ? 1 : 0;
        });
        const expected = formulas.byeReaches("independent", loss, members - 1, copies);
        found.push({ members, loss, copies, enough: copies === enough, expected, share: sampleOf(heard) });
      }
    }
    return {
      figures: [],
      numbers: {
        columns: ["N", "lost by each", "copies", "all hear, formula", "all hear, virtual"],
        rows: found.map(({ members, loss, copies, expected, share }) => [
          members,
          loss,
          copies,
          expected.toFixed(4),
          printSample(share, 4),
        ]),
      },
      checks: found.map(({ members, loss, copies, expected, share }) => ({
        what: `N ${members}, ${loss}: ${copies} copies reach all as often as the formula says`,
        holds: agrees({ ...share, error: Math.sqrt((expected * (1 - expected)) / share.count) }, expected),
      })),
    };
  },
};
