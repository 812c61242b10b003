/** Records for other programs and for people: Markdown, CSV, JSON, and JUnit for continuous integration. */

import { printCsv, printJunit } from "../report/table-text.ts";
import { middleOf } from "../statistics/middle.ts";
import { markdown } from "../terminal/table.ts";
import type { BookRecord } from "./record.ts";

export const EXPORTS = {
  json: (records) => `${JSON.stringify(records, null, 1)}\n`,
  csv: (records) =>
    printCsv({
      columns: [
        "at",
        "kind",
        "what",
        "question",
        "commit",
        "sources",
        "validity",
        "attempts",
        "counted",
        "number",
        "unit",
        "of",
        "value",
        "at least",
      ],
      rows: records.flatMap((one) =>
        Object.entries(one.numbers).flatMap(([name, { unit, values }]) =>
          values.map(({ of, value, atLeast }) => [
            one.at,
            one.kind,
            one.what,
            one.question,
            one.sources.commit,
            one.sources.sources,
            one.validity,
            one.attempts.made,
            one.attempts.counted,
            name,
            unit,
            of,
            value,
            atLeast ? "yes" : "",
          ]),
        ),
      ),
    }),
  markdown: (records) =>
    `${markdown(
      ["at", "kind", "what", "commit", "attempts", "", "numbers"],
      records.map((one) => [
        one.at,
        one.kind,
        one.what,
        one.sources.commit,
        `${one.attempts.counted} of ${one.attempts.made}`,
        one.validity,
        Object.entries(one.numbers)
          .filter(([name]) => MAIN.test(name))
          .map(([name, { unit, values }]) => {
            const found = middleOf(values.map(({ value }) => value));
            const atLeast = values.some((value) => value.atLeast) ? "at least " : "";
            return `${name} ${atLeast}${found?.middle.toFixed(1)} ${unit}`.trim();
          })
          .join(", "),
      ]),
    )}\n`,
  junit: (records) =>
    printJunit(
      "the book of results",
      records.map(({ kind, what, at, validity, reasons, attempts }) => ({
        property: `${kind}: ${what} (${at})`,
        judgement: validity,
        operations: attempts.counted,
        reasons,
      })),
      [],
    ),
} as const satisfies Record<string, (records: readonly BookRecord[]) => string>;

export type Export = keyof typeof EXPORTS;

/** What a line has room for; all else is in JSON and CSV. */
const MAIN = /^(?:.*: )?(?:mean\.(?:before|after)|outage|loss)$/;
