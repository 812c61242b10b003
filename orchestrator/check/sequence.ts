/**
 * The numbers that sequential creates are given are unique, and increase: a create that began after another
 * one had ended has the greater number, and so has one whose place in the history is later.
 */

import { describe, entriesOf, type History, type OperationOf } from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

type Draw = OperationOf<"draw"> & { readonly number: number };

export function increasingSequences(history: History): Finding {
  const drawn = entriesOf(history, "draw").filter(
    (draw): draw is Draw => draw.outcome === "ok" && draw.number !== null,
  );
  const wrong: string[] = [];
  for (const draws of Map.groupBy(drawn, ({ key }) => key).values()) {
    wrong.push(...checkUnique(draws), ...checkRealTime(draws), ...checkPlaces(draws));
  }
  return finding("sequence numbers unique and increasing", drawn.length, wrong);
}

function checkUnique(draws: readonly Draw[]): string[] {
  const first = new Map<number, Draw>();
  return draws.flatMap((draw) => {
    const other = first.get(draw.number);
    if (other !== undefined) return [`given twice: ${describe(other)} and ${describe(draw)}`];
    first.set(draw.number, draw);
    return [];
  });
}

/** Walks through beginnings and ends in time, keeping the greatest number among the draws that have ended. */
function checkRealTime(draws: readonly Draw[]): string[] {
  const ended = [...draws].sort((a, b) => a.completed - b.completed);
  const begun = [...draws].sort((a, b) => a.invoked - b.invoked);
  let greatest: Draw | undefined;
  let index = 0;
  return begun.flatMap((draw) => {
    for (
      let next = ended[index];
      next !== undefined && next.completed < draw.invoked;
      next = ended[++index]
    ) {
      if (greatest === undefined || next.number > greatest.number) greatest = next;
    }
    return greatest !== undefined && greatest.number > draw.number
      ? [`fell back: ${describe(greatest)}, then ${describe(draw)}`]
      : [];
  });
}

function checkPlaces(draws: readonly Draw[]): string[] {
  const placed = draws.filter(({ zxid }) => zxid !== null).sort((a, b) => (a.zxid ?? 0) - (b.zxid ?? 0));
  return placed.flatMap((draw, index) => {
    const before = placed[index - 1];
    return before !== undefined && before.number > draw.number
      ? [`out of order in the history: ${describe(before)}, then ${describe(draw)}`]
      : [];
  });
}
