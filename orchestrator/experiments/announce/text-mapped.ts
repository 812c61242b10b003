import { flagOf } from "#node/election/options.ts";
import { measureElection } from "../../measure/members/measures.ts";
import { planMembers } from "../../plan/members-flags.ts";
import { groupEntryOf } from "../../plan/plan.ts";
import { simulateElection } from "../../runner/virtual/members.ts";
import type { Claim } from "./claim.ts";
import type { Lab } from "./lab.ts";
import { printSample, type Sample, sampleOf } from "./sample.ts";

const ARMS = ["le-s", "le-m", "le-mapped"] as const;
const MEMBERS = 9;
const LOSSES = ["0%", "10%"] as const;
const TIMES = { announce: "1s", listen: "900s", suppress: "500ms" };

interface Found {
  readonly arm: (typeof ARMS)[number];
  readonly loss: string;
  readonly agreed: Sample;
  readonly sent: Sample;
  /** How often somebody leads to whom nobody is nearer to all others. */
  readonly nearest: Sample;
}

/** Nine members at the three sites of `3dc`, begun together. */
async function run(lab: Lab, arm: (typeof ARMS)[number], loss: string): Promise<Found> {
  const { options } = groupEntryOf(arm);
  const times = Object.entries(TIMES).filter(([name]) => Object.hasOwn(options, flagOf(name)));
  const flags = { topology: "3dc", members: String(MEMBERS), duration: "12s", loss };
  const judged = planMembers({ ...flags, election: "le-mapped", worthBy: "distance" }, "sim").subject.members;
  const best = judged.filter(({ worth }) => worth === 1000).map(({ member }) => Number(member));
  const plan = planMembers(
    { ...flags, ...Object.fromEntries(times), election: arm, worthBy: arm === "le-mapped" ? "distance" : "" },
    "sim",
  );
  const runs = await lab.repeat(`${arm}, ${loss}`, lab.quick ? 200 : 1000, (seed) =>
    measureElection(simulateElection({ ...plan, seed })),
  );
  const settled = runs.flatMap(({ disturbances: [first], messages }) =>
    first?.agreedMs === null || first === undefined ? [] : [{ ...first, sent: messages.firstRound }],
  );
  return {
    arm,
    loss,
    agreed: sampleOf(settled.map(({ agreedMs }) => agreedMs ?? Number.NaN)),
    sent: sampleOf(settled.map(({ sent }) => sent)),
    nearest: sampleOf(settled.map(({ leader }) => (leader !== null && best.includes(leader) ? 1 : 0))),
  };
}

export const textMapped: Claim = {
  name: "text-mapped",
  says: "Wake-up times can be mapped from any criterion, such as load, connectivity or the sum of delays.",
  verdict:
    "They can: with t falling with the nearness to all others, members at three data centers follow one of " +
    "the nearest, sooner than by LE-M. Who is worth the same speaks at the same time, so it is for as many " +
    "announcements as there are members at the nearest site.",
  async test(lab) {
    const found: Found[] = [];
    for (const loss of LOSSES) for (const arm of ARMS) found.push(await run(lab, arm, loss));
    const of = (arm: string, loss: string): Found => {
      const one = found.find((each) => each.arm === arm && each.loss === loss);
      if (one === undefined) throw new Error(`${arm} was not run with ${loss} lost`);
      return one;
    };
    return {
      figures: [],
      numbers: {
        columns: [
          "election",
          "lost by each",
          "agreed after (ms)",
          "announcements in T_S",
          "the nearest leads",
        ],
        rows: found.map(({ arm, loss, agreed, sent, nearest }) => [
          arm,
          loss,
          printSample(agreed, 0),
          printSample(sent, 2),
          printSample(nearest, 3),
        ]),
      },
      checks: [
        { what: "without loss the nearest always leads", holds: of("le-mapped", "0%").nearest.mean === 1 },
        {
          what: "with 10 % lost by each too, once all agree",
          holds: of("le-mapped", "10%").nearest.mean > 0.99,
        },
        ...LOSSES.map((loss) => ({
          what: `${loss} lost: it is sooner than LE-S`,
          holds: of("le-mapped", loss).agreed.high < of("le-s", loss).agreed.low,
        })),
        {
          what: "without loss it is sooner than LE-M",
          holds: of("le-mapped", "0%").agreed.high < of("le-m", "0%").agreed.low,
        },
        {
          what: "by address, or by chance, the nearest leads less often",
          holds: of("le-m", "0%").nearest.high < 0.9 && of("le-s", "0%").nearest.high < 0.9,
        },
      ],
    };
  },
};
