/**
 * A certificate for people: one line for each directed pair of sites, what was asked beside what was
 * measured.
 */

import { printRate } from "../../topology/quantity.ts";
import type { Certificate } from "./certificate.ts";
import { type Judged, percent } from "./fidelity.ts";
import type { Share } from "./multicast.ts";
import { aligned } from "../../terminal/table.ts";

type Column = readonly [title: string, cell: (way: Judged) => string];

/** Of nothing there is no mean, and no number for it in JSON. */
const fixed = (value: number | null, digits: number): string =>
  value === null || !Number.isFinite(value) ? "-" : value.toFixed(digits);
const ms = (microseconds: number | null): string =>
  fixed(microseconds === null ? null : microseconds / 1000, 3);
const us = (microseconds: number | null): string => fixed(microseconds, 0);

const columns: readonly Column[] = [
  ["from", ({ from }) => from],
  ["to", ({ to }) => to],
  ["samples", ({ samples }) => String(samples)],
  ["rtt asked ms", ({ roundTrip }) => ms(roundTrip.asked)],
  ["udp ms", ({ roundTrip }) => ms(roundTrip.udp)],
  ["tcp ms", ({ roundTrip }) => ms(roundTrip.tcp)],
  ["one-way error us", ({ meanError }) => fixed(meanError, 1)],
  ["sd asked us", ({ asked }) => us(asked.sd)],
  ["sd us", ({ achieved }) => us(achieved.sd)],
  ["p50 asked ms", ({ asked }) => ms(asked.p50)],
  ["p50 ms", ({ achieved }) => ms(achieved.p50)],
  ["p99 asked ms", ({ asked }) => ms(asked.p99)],
  ["p99 ms", ({ achieved }) => ms(achieved.p99)],
  ["KS", ({ ks }) => fixed(ks, 3)],
  ["lost", ({ loss }) => `${(100 * loss.achieved).toFixed(2)}%`],
  ["overtaken", ({ reordered }) => String(reordered)],
  ["tcp flow", ({ bandwidth }) => (bandwidth === null ? "-" : printRate(Number(bandwidth.toPrecision(3))))],
];

/** The names of the columns, and a row for each directed pair of sites. */
export const certificateTable = ({
  ways,
}: Certificate): { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] } => ({
  columns: columns.map(([title]) => title),
  rows: ways.map((way) => columns.map(([, cell]) => cell(way))),
});

/** What was lost of messages to all, where that was measured. */
export function certificateMulticast({ multicast }: Certificate): readonly string[] {
  if (multicast === undefined) return [];
  const { messages, lost, together } = multicast;
  const said = ({ achieved, asked }: Share): string => `${percent(achieved)} (${percent(asked)} asked)`;
  const both = together === null ? "" : `, to two at once ${said(together)}`;
  return [`multicast: ${messages} messages, lost to a receiver ${said(lost)}${both}`];
}

/** What the shaping itself took, and how often it was late, where the engine tells. */
export const certificateShares = ({ processor, late }: Certificate): readonly string[] => [
  ...(processor === null ? [] : [`shaping process: ${(100 * processor).toFixed(0)} % of one processor`]),
  ...(late === null ? [] : [`late by over 1 ms: ${(100 * late).toFixed(2)} %`]),
];

export function printCertificate(certificate: Certificate): string {
  const { topology, engine, infrastructure, condition, verdict, reasons } = certificate;
  const { columns: titles, rows } = certificateTable(certificate);
  return [
    `${topology} on ${infrastructure}, engine ${engine}, ${certificate.congestionControl}, ${condition}`,
    certificate.remark,
    ...aligned([titles, ...rows], 2),
    ...certificateMulticast(certificate),
    ...certificateShares(certificate),
    ...reasons.map((reason) => `out of tolerance: ${reason}`),
    `certificate: ${verdict}`,
  ].join("\n");
}
