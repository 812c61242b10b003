/** A trial of a recipe as a person reads it. */

import { aligned } from "../terminal/table.ts";
import type { RecipeSummary } from "./trial.ts";

export function pageOf({
  recipe,
  system,
  members,
  trouble,
  handovers,
  outage,
  writes,
  wrong,
}: RecipeSummary): string {
  const cell = (value: number | null): string => (value === null ? "-" : value.toFixed(0));
  const rows = handovers.map(({ from, to, sessionEnd, elected, progress, acts, overlap }) => [
    from,
    to,
    ...[sessionEnd, elected, progress, acts, overlap].map(cell),
  ]);
  const head = ["from", "to", "session end", "elected", "progress", "acts", "overlap"];
  const { median, p90, most } = outage;
  return [
    `${recipe} at ${system}, ${members} members, each leader: ${trouble}; milliseconds`,
    ...aligned([head, ...rows], 2).map((row) => `  ${row}`),
    `until the next acts: median ${cell(median)}, p90 ${cell(p90)}, most ${cell(most)}`,
    `fenced writes: ${writes.taken} taken, ${writes.refused} turned away, ${wrong.length} taken too late`,
    ...wrong,
  ].join("\n");
}
