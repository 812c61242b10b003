/**
 * A certificate for people: one line for each directed pair of sites, what was asked beside what was
 * measured.
 */

import { printRate } from "../../topology-quantity.ts";
import type { Certificate } from "./certificate.ts";
import type { Judged } from "./fidelity.ts";

type Column = readonly [title: string, cell: (way: Judged) => string];

const ms = (microseconds: number): string => (microseconds / 1000).toFixed(3);
const us = (microseconds: number): string => microseconds.toFixed(0);

const columns: readonly Column[] = [
  ["from", ({ from }) => from],
  ["to", ({ to }) => to],
  ["samples", ({ samples }) => String(samples)],
  ["rtt asked ms", ({ roundTrip }) => ms(roundTrip.asked)],
  ["udp ms", ({ roundTrip }) => ms(roundTrip.udp)],
  ["tcp ms", ({ roundTrip }) => (roundTrip.tcp === null ? "-" : ms(roundTrip.tcp))],
  ["one-way error us", ({ meanError }) => meanError.toFixed(1)],
  ["sd asked us", ({ asked }) => us(asked.sd)],
  ["sd us", ({ achieved }) => us(achieved.sd)],
  ["p50 asked ms", ({ asked }) => ms(asked.p50)],
  ["p50 ms", ({ achieved }) => ms(achieved.p50)],
  ["p99 asked ms", ({ asked }) => ms(asked.p99)],
  ["p99 ms", ({ achieved }) => ms(achieved.p99)],
  ["KS", ({ ks }) => (ks === null ? "-" : ks.toFixed(3))],
  ["lost", ({ loss }) => `${(100 * loss.achieved).toFixed(2)}%`],
  ["overtaken", ({ reordered }) => String(reordered)],
  ["tcp flow", ({ bandwidth }) => (bandwidth === null ? "-" : printRate(Number(bandwidth.toPrecision(3))))],
];

export function printCertificate(certificate: Certificate): string {
  const { topology, engine, infrastructure, condition, verdict, reasons, processor, late } = certificate;
  const rows = [
    columns.map(([title]) => title),
    ...certificate.ways.map((way) => columns.map(([, cell]) => cell(way))),
  ];
  const shares = [
    ...(processor === null ? [] : [`shaping process: ${(100 * processor).toFixed(0)} % of one processor`]),
    ...(late === null ? [] : [`late by over 1 ms: ${(100 * late).toFixed(2)} %`]),
  ];
  return [
    `${topology} on ${infrastructure}, engine ${engine}, ${certificate.congestionControl}, ${condition}`,
    certificate.remark,
    ...align(rows),
    ...shares,
    ...reasons.map((reason) => `out of tolerance: ${reason}`),
    `certificate: ${verdict}`,
  ].join("\n");
}

/** Columns under each other; the first two are names and lean left. */
function align(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, index) => (index < 2 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
