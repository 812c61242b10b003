/**
 * What was demanded and expected of each of several runs, told once: in how many it held, and where it did
 * not.
 */

import { html, type Markup, table } from "./page/markup.ts";
import { isMet, isPassed } from "./page/page.ts";
import type { ServiceSummary } from "../measure/summary.ts";

export interface NamedRun {
  readonly id: string;
  readonly summary: ServiceSummary;
}

export interface AcrossRuns {
  /** As a threshold or an expectation says it. */
  readonly what: string;
  readonly holdsIn: number;
  readonly runs: number;
  readonly except: readonly { readonly run: string; readonly found: string }[];
}

export const thresholdsAcross = (runs: readonly NamedRun[]): readonly AcrossRuns[] =>
  across(runs, ({ thresholds }) =>
    thresholds.map(({ text, passed, measured, unit, atLeast }) => ({
      what: text,
      holds: passed,
      found:
        measured === null
          ? "nothing was measured"
          : `${atLeast ? "at least " : ""}${measured.toFixed(1)} ${unit}`.trimEnd(),
    })),
  );

export const expectationsAcross = (runs: readonly NamedRun[]): readonly AcrossRuns[] =>
  across(runs, ({ expectations }) =>
    expectations.map(({ what, met, found }) => ({ what, holds: met, found })),
  );

interface Looked {
  readonly what: string;
  readonly holds: boolean;
  readonly found: string;
}

function across(
  runs: readonly NamedRun[],
  of: (summary: ServiceSummary) => readonly Looked[],
): readonly AcrossRuns[] {
  const looked = runs.flatMap(({ id, summary }) => of(summary).map((one) => ({ run: id, ...one })));
  return [...Map.groupBy(looked, ({ what }) => what)].map(([what, all]) => {
    const except = all.filter(({ holds }) => !holds);
    return {
      what,
      holdsIn: all.length - except.length,
      runs: all.length,
      except: except.map(({ run, found }) => ({ run, found })),
    };
  });
}

export const demandTables = (runs: readonly NamedRun[]): readonly Markup[] => [
  ...tableOf("threshold", thresholdsAcross(runs), isPassed),
  ...expectationTable(expectationsAcross(runs)),
];

export const expectationTable = (rows: readonly AcrossRuns[]): readonly Markup[] =>
  tableOf("expected, but not demanded", rows, isMet);

function tableOf(
  title: string,
  rows: readonly AcrossRuns[],
  badgeOf: (holds: boolean) => Markup,
): readonly Markup[] {
  if (rows.length === 0) return [];
  return [
    table(
      [title, "", "in", "but not in"],
      rows.map(({ what, holdsIn, runs, except }) => [
        what,
        badgeOf(except.length === 0),
        `${holdsIn} of ${runs} runs`,
        [
          ...except.slice(0, MOST_SHOWN).map(({ run, found }) => html`<div>${run}: ${found}</div>`),
          except.length > MOST_SHOWN ? html`<div>and ${except.length - MOST_SHOWN} more</div>` : "",
        ],
      ]),
      "text",
    ),
  ];
}

const MOST_SHOWN = 5;
