/**
 * Groups of a few sizes, elections and losses, number by number: how long until the last has heard the
 * leader, and what was announced by then. Some of them with real members too.
 */

import type { GroupElectionName } from "#node/election/group-catalog.ts";
import type { Check, Claim } from "./claim.ts";
import * as formulas from "./formulas.ts";
import type { Begun, Lab } from "./lab.ts";
import { agrees, OF_MACHINES, printSample } from "./sample.ts";

interface Row {
  readonly election: GroupElectionName & ("le-a" | "le-s" | "le-m");
  readonly members: number;
  readonly loss: number;
  readonly kind: formulas.LossKind;
  /** Standard deviations in one run. */
  readonly deviations: Readonly<Record<Measure, number>>;
  /** With real members too. */
  readonly live?: true;
}

type Measure = (typeof MEASURES)[number];

const MEASURES = ["delay", "inSuppress", "untilLatched"] as const;

const row = (
  election: Row["election"],
  members: number,
  loss: number,
  kind: Row["kind"],
  [delay, inSuppress, untilLatched]: readonly [number, number, number],
  live?: true,
): Row => ({
  election,
  members,
  loss,
  kind,
  deviations: { delay, inSuppress, untilLatched },
  ...(live && { live }),
});

/** Nobody is silenced before it has spoken. */
const NONE = 0;
/** Means of whole numbers may differ in their last digit. */
const OF_A_MESSAGE = 1e-9;

const ROWS: readonly Row[] = [
  row("le-s", 5, 0, "shared", [0.145, 1.01, 1.01], true),
  row("le-s", 5, 0.1, "shared", [0.383, 1.05, 1.32], true),
  row("le-s", 5, 0.1, "independent", [0.595, 0.98, 1.36], true),
  row("le-s", 10, 0.4, "shared", [1.07, 1.88, 3.27]),
  row("le-s", 10, 0.4, "independent", [1.39, 1.32, 2.71]),
  row("le-s", 50, 0.2, "shared", [0.587, 3, 3.3], true),
  row("le-s", 50, 0.2, "independent", [0.859, 2.58, 2.81]),
  row("le-a", 5, 0.1, "shared", [0.35, NONE, 0.74], true),
  row("le-a", 5, 0.1, "independent", [0.58, NONE, 0.83]),
  row("le-a", 10, 0.4, "shared", [1.05, NONE, 2.55]),
  row("le-a", 10, 0.4, "independent", [1.39, NONE, 2.2]),
  row("le-m", 10, 0, "shared", [0.04, 0.95, 0.95], true),
  row("le-m", 10, 0.4, "shared", [1.05, 1.42, 3.1]),
  row("le-m", 10, 0.4, "independent", [1.38, 0.84, 2.59]),
];

const [SUPPRESS, DELAY] = [0.5, 0.05];
/** Of each row in virtual time. */
const RUNS = 2000;
type Told = Readonly<Record<Measure, number | null>>;

/** By the right formulas, the delay without D; null where there is none. */
function expected({ election, members, loss, kind }: Row): Told {
  const suppress = election === "le-a" ? 0 : SUPPRESS;
  const isExact = kind === "shared" || loss === 0;
  const d = DELAY / SUPPRESS;
  switch (election) {
    case "le-a":
      return {
        delay: formulas.leadershipDelay(kind, loss, members, suppress),
        inSuppress: members,
        untilLatched: isExact
          ? formulas.messagesUntilLatched(members, loss, "le-a")
          : formulas.everybodysMessages(members, loss),
      };
    case "le-s":
      return {
        delay: formulas.leadershipDelay(kind, loss, members, suppress),
        inSuppress: isExact ? formulas.messages(members, loss, d) : null,
        untilLatched: isExact ? formulas.messagesUntilLatched(members, loss, d) : null,
      };
    case "le-m":
      return {
        delay: formulas.earliestDelay(kind, loss, members, suppress),
        inSuppress: isExact ? formulas.earliestMessages(members, loss, d) : null,
        untilLatched: null,
      };
  }
}

function labelOf({ election, members, loss, kind }: Row): string {
  const by = kind === "shared" ? "all" : "each";
  const lost = loss === 0 ? "no loss" : `${100 * loss} % lost by ${by}`;
  return `${election.toUpperCase()} of ${members}, ${lost}`;
}

const beginningOf = ({ election, members, loss, kind }: Row) => {
  const suppress = election === "le-a" ? 0 : SUPPRESS;
  return { election, members, loss, kind, suppress, delay: DELAY };
};

async function measured(
  lab: Lab,
  one: Row,
): Promise<{ readonly virtual: Begun; readonly live: Begun | null }> {
  const beginning = beginningOf(one);
  const virtual = await lab.begin({ ...beginning, ...(lab.quick ? {} : { runs: RUNS }) });
  const isLive = one.live === true && (!lab.quick || one.members === 5);
  return { virtual, live: isLive ? ((await lab.live?.begin(beginning)) ?? null) : null };
}

/**
 * Real members, by what is known of one run: as far from the formula as chance and machines may bring their
 * mean; where there is no formula, from virtual time, whose own chance counts too.
 */
function isReal(
  one: Row,
  name: Measure,
  made: number,
  { [name]: virtual }: Begun,
  { [name]: live }: Begun,
): Check {
  const formula = expected(one)[name];
  const asked = formula ?? virtual.mean;
  const chance = Math.hypot(
    one.deviations[name] / Math.sqrt(live.count),
    formula === null ? virtual.error : 0,
  );
  const within = 4 * chance + (name === "delay" ? OF_MACHINES : OF_A_MESSAGE);
  const numbers = [asked, live.mean, within].map((number) => number.toFixed(3));
  return {
    what:
      `${labelOf(one)}: so do ${live.count} of ${made} runs of real members: ` +
      `${name} ${numbers[0]} asked, ${numbers[1]} measured, ${numbers[2]} allowed`,
    holds: Math.abs(live.mean - asked) <= within,
  };
}

export const textRows: Claim = {
  name: "text-rows",
  says: "Until the last has heard the leader it takes E[t_s] + D and the rounds that are lost.",
  verdict:
    "It does, with the rounds counted from 0 and the sender left out: the chapter counts one too many, and " +
    "one listener too many.",
  test: async (lab) => {
    const rows = [];
    const checks = [];
    for (const one of ROWS) {
      const { virtual, live } = await measured(lab, one);
      const formula = expected(one);
      const wrong = MEASURES.filter((name) => {
        const right = formula[name];
        return right !== null && !agrees(virtual[name], right);
      });
      const told = wrong.length === 0 ? "" : `, but for ${wrong.join(", ")}`;
      checks.push({ what: `${labelOf(one)}: virtual time agrees${told}`, holds: wrong.length === 0 });
      if (live !== null)
        checks.push(...MEASURES.map((name) => isReal(one, name, lab.live?.runs ?? 0, virtual, live)));
      for (const name of MEASURES)
        rows.push([
          labelOf(one),
          name,
          formula[name]?.toFixed(3) ?? "",
          printSample(virtual[name]),
          live === null ? "" : printSample(live[name]),
        ]);
    }
    const columns = ["what", "measure", "formula", "virtual", "live"];
    return { figures: [], numbers: { columns, rows }, checks };
  },
};
