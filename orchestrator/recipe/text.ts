/** A trial of recipes as a person reads it in a terminal. */

import { aligned } from "../terminal/table.ts";
import type { RecipeSummary } from "./summary.ts";

const HEAD = [
  "recipe",
  "trouble",
  "until the next leads",
  "of it since the session's end",
  "formula",
  "nobody led",
  "several did",
  "told",
  "formula",
  "lists",
  "writes",
];

export const cell = (value: number | null): string =>
  value === null ? "-" : value.toFixed(value < 10 && !Number.isInteger(value) ? 1 : 0);

export const tableOf = ({ recipes }: RecipeSummary): readonly (readonly string[])[] => [
  HEAD,
  ...recipes.flatMap(({ recipe, troubles }) =>
    troubles.map((row) => [
      recipe,
      row.trouble,
      ...[
        row.sinceTrouble,
        row.sinceSessionEnd,
        row.sinceSessionEndByFormula,
        row.nobodyMs,
        row.severalMs,
        row.notifications,
        row.notificationsByFormula,
        row.lists,
        row.writes,
      ].map(cell),
    ]),
  ),
];

export const conditionsOf = (summary: RecipeSummary): string => {
  const { topology, system, members, strategy, watching, timeoutMs } = summary;
  const rule = watching === "all" ? `${strategy}, all watch everything` : strategy;
  return `${topology}, ${system}, ${members} members, strategy ${rule}, sessions of ${timeoutMs} ms`;
};

export function textOf(summary: RecipeSummary): string {
  const fenced = summary.recipes.map(
    ({ recipe, writes: { taken, refused } }) =>
      `${recipe}: ${taken} fenced writes taken, ${refused} turned away`,
  );
  return [
    `${conditionsOf(summary)}; milliseconds, and what servers counted`,
    ...aligned(tableOf(summary), 2).map((line) => `  ${line}`),
    ...fenced,
    ...summary.wrong,
  ].join("\n");
}
