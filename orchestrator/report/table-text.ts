/** The tables of a report for other programs: CSV for spreadsheets, JUnit for continuous integration. */

import { stringify } from "csv-stringify/sync";
import type { Finding } from "../check/verdict.ts";
import { printMeasured, type ThresholdOutcome } from "../measure/threshold.ts";
import type { Table } from "./chart/figure.ts";
import { escaped } from "./page/markup.ts";

/** RFC 4180. */
export const printCsv = ({ columns, rows }: Table): string =>
  stringify([columns, ...rows], { record_delimiter: "\r\n", quoted_match: /[\r\n]/ });

/** Every property and threshold is a test case. */
export function printJunit(
  name: string,
  findings: readonly Finding[],
  thresholds: readonly ThresholdOutcome[],
): string {
  const cases = [
    ...findings.map(({ property, judgement, operations, reasons }) => ({
      name: `${property} (${operations} looked at)`,
      failure: judgement === "valid" ? null : `${judgement}: ${reasons.join("; ")}`,
    })),
    ...thresholds.map(({ text, passed, ...found }) => ({
      name: text,
      failure: passed ? null : `measured ${printMeasured(found)}`,
    })),
  ];
  const failures = cases.filter(({ failure }) => failure !== null).length;
  const lines = cases.map(({ name: of, failure }) => {
    const names = `classname="${escaped(name)}" name="${escaped(of)}"`;
    if (failure === null) return `  <testcase ${names}/>`;
    return `  <testcase ${names}><failure message="${escaped(failure)}"/></testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failures}">`,
    ...lines,
    "</testsuite>",
    "",
  ].join("\n");
}
