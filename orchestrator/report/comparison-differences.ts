/**
 * What of a comparison is no chance: every pair of arms, and the arm that was run twice, which goes through
 * the very same test. Where that one differs there is no difference to be believed, and the page says so
 * before anything else.
 */

import { AGAIN } from "../plan/matrix.ts";
import {
  type Arm,
  cannotTell,
  type Difference,
  differences,
  differs,
  type Quantity,
} from "../statistics/comparison.ts";
import { NOT_ENOUGH_RUNS } from "../statistics/middle.ts";
import { pairsNeeded } from "../statistics/sign-flip.ts";
import { type ComparedRun, type Group, meanAfterOf, outageOf, p99AfterOf } from "./compared-run.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { paragraph } from "./page/page.ts";

/** What a difference is looked for in. */
const QUANTITIES = [
  ["mean latency after the fault", meanAfterOf],
  ["p99 latency after the fault", p99AfterOf],
  ["outage", outageOf],
] as const;

export interface Differences {
  readonly arms: readonly Difference[];
  /** Of the arm that was run twice, corrected as every other pair is. */
  readonly again: readonly Difference[];
}

/** So many comparisons are corrected together: of all pairs of arms, and of the one that is run twice. */
export const comparisonsOf = (arms: number): number => QUANTITIES.length * ((arms * (arms - 1)) / 2 + 1);

/** How many runs of each arm can tell a difference at all. */
export const runsNeeded = (arms: number): number => pairsNeeded(comparisonsOf(arms));

/** `arms`: of how many a comparison is, where there are not all of them. */
export function differencesOf(groups: readonly Group[], arms?: number): Differences {
  const isAgain = ({ arm }: Group): boolean => arm.endsWith(AGAIN);
  const again = groups.find(isAgain);
  const first = groups.find(({ arm }) => again?.arm === `${arm} ${AGAIN}`);
  const others = groups.filter((group) => !isAgain(group));
  const count = arms ?? others.length;
  const twice = first === undefined || again === undefined ? [] : [first, again];
  const besides = twice.length === 0 ? 0 : QUANTITIES.length;
  return {
    arms: differences(quantitiesOf(others), besides),
    again: differences(quantitiesOf(twice), comparisonsOf(count) - QUANTITIES.length),
  };
}

const quantitiesOf = (groups: readonly Group[]): readonly Quantity[] =>
  QUANTITIES.map(([name, of]) => ({ name, arms: groups.map((group) => armOf(group, of)) }));

const armOf = ({ arm, runs }: Group, of: (run: ComparedRun) => number | null): Arm => ({
  name: arm,
  values: new Map(
    runs.flatMap((run) => {
      const value = of(run);
      return value === null ? [] : [[run.repetition, value]];
    }),
  ),
});

/** Null when there is nothing to warn of. */
export function warningOf({ again }: Differences): string | null {
  const wrong = again.filter(differs);
  const [one] = wrong;
  if (one === undefined) return null;
  const where = wrong.map(({ quantity, p }) => `${quantity} (p = ${printP(p)})`).join(", ");
  return (
    `The A/A arm differs in ${where}: ${one.a} and ${one.b} are the same with other seeds, so what differs ` +
    "besides may be the machine's doing."
  );
}

/** In a line for the terminal. */
export function againLine({ again }: Differences): string {
  const [one] = again;
  if (one === undefined) return "A/A: nothing was run twice, so noise is unknown";
  const ps = again.map(({ quantity, p }) => `${quantity} p = ${printP(p)}`).join(", ");
  const enough = again.some(cannotTell) ? `; ${NOT_ENOUGH_RUNS} to tell` : "";
  return `A/A, ${one.a} and ${one.b}: ${ps}${enough}`;
}

/** What too few runs leave open; null when nothing. */
export function openQuestion({ arms }: Differences): string | null {
  const open = arms.filter(cannotTell);
  const count = arms.length + QUANTITIES.length;
  const [one] = open;
  if (one === undefined) return null;
  return (
    `${NOT_ENOUGH_RUNS}: of ${open.length} of ${arms.length} comparisons nothing could have counted, with ` +
    `${one.pairs} pairs; ${pairsNeeded(count)} can tell`
  );
}

export function differencesShown(found: Differences): readonly Markup[] {
  const { arms, again } = found;
  const open = openQuestion(found);
  return [
    ...(arms.length === 0
      ? [paragraph("Differences need two valid runs of two arms with the same seeds.")]
      : [differenceTable(arms)]),
    ...(open === null ? [] : [paragraph(`${open[0]?.toUpperCase()}${open.slice(1)}.`)]),
    ...(again.length === 0
      ? [paragraph("Nothing was run twice, so noise is unknown.")]
      : [html`<h3>What no difference looks like (A/A)</h3>`, differenceTable(again), paragraph(ABOUT_AGAIN)]),
    paragraph(ABOUT_TEST),
  ];
}

const differenceTable = (found: readonly Difference[]): Markup =>
  table(
    ["of", "difference in", "mean (ms)", "95 % from", "to", "pairs", "p (Holm)", "", "same within 5 %"],
    found.map((one) => [
      `${one.a} minus ${one.b}`,
      one.quantity,
      one.mean.toFixed(2),
      one.low?.toFixed(2) ?? NOT_ENOUGH_RUNS,
      one.high?.toFixed(2) ?? "",
      one.pairs,
      printP(one.p),
      differs(one) ? "differs" : cannotTell(one) ? NOT_ENOUGH_RUNS : "could be chance",
      one.sameness === "same" ? "yes" : one.sameness,
    ]),
  );

export const printP = (p: number): string => (p < 0.001 ? "< 0.001" : p.toFixed(3));

const ABOUT_TEST =
  "Exact sign-flip tests of the pairs, corrected for all rows together, A/A included; n pairs have no p " +
  "below 2 / 2^n. The interval is of a row by itself. Same within 5 %: two one-sided tests, for not to " +
  "find a difference does not show that there is none.";
const ABOUT_AGAIN = "The first arm and the same with other seeds, through the very same test.";
