/** What the servers said to each other, as a table for the page and as one for a spreadsheet. */

import type { Volume } from "#node/telemetry/traffic.ts";
import type { TrafficRow } from "../../measure/traffic.ts";
import type { Table } from "../chart/figure.ts";
import { type Markup, table } from "./markup.ts";
import { paragraph } from "./page.ts";

/** Nothing where the servers do not tell. */
export function trafficTable(rows: readonly TrafficRow[]): readonly Markup[] {
  if (rows.length === 0) return [];
  const servers = serversOf(rows);
  return [
    paragraph(EXPLANATION),
    table(
      ["messages and bytes sent", "all", ...servers.map((server) => `p${server}`)],
      rows.map(({ of, perSecond, all, servers: own }) => [
        perSecond ? `${of}, per second` : of,
        cell(all),
        ...servers.map((server) => (own[server] === undefined ? "" : cell(own[server]))),
      ]),
    ),
  ];
}

export const trafficCsv = (rows: readonly TrafficRow[]): Table => ({
  columns: ["of", "unit", "server", "messages", "bytes"],
  rows: rows.flatMap(({ of, perSecond, all, servers }) =>
    [
      ["all", all] as const,
      ...Object.entries(servers).map(([id, volume]) => [`p${id}`, volume] as const),
    ].map(([who, { messages, bytes }]) => [of, perSecond ? "per second" : "in all", who, messages, bytes]),
  ),
});

const serversOf = (rows: readonly TrafficRow[]): readonly string[] =>
  [...new Set(rows.flatMap(({ servers }) => Object.keys(servers)))].sort((a, b) => Number(a) - Number(b));

const cell = ({ messages, bytes }: Volume): string =>
  messages === 0 ? "0" : `${messages.toFixed(0)}, ${printBytes(bytes)}`;

function printBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes.toFixed(0)} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(2)} MB`;
}

const EXPLANATION =
  "What the servers said to each other: messages, and their frames' bytes, by who sent them; one to three " +
  "servers is three. Each belongs to the stage that it serves: to the election what was said until a fifth " +
  "of a second after the last server knew, followers that come late to the synchronization. Noticing needs " +
  "none, the dead server's kernel tells. The first commit's are all that was sent for clients until then: " +
  "what had waited during the outage.";
