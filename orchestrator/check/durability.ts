/**
 * No acknowledged write is lost.
 *
 * Clients add elements, each named once, to sets that nobody takes from. Then every list that was asked for
 * after an addition was acknowledged must hold it; so must every list asked for after another list showed it.
 * An element that was refused, or that nobody added, must never be seen.
 */

import type { Instant } from "#node/core/time.ts";
import { describe, entriesOf, type History, type OperationOf } from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

export function noLostWrite(history: History): Finding {
  const lists = entriesOf(history, "list").filter(({ outcome, synced }) => outcome === "ok" && synced);
  const listed = Map.groupBy(lists, ({ key }) => key);
  const additions = entriesOf(history, "add").filter(({ key }) => listed.has(key));
  const added = Map.groupBy(additions, ({ key }) => key);
  const wrong = [...listed].flatMap(([key, ofKey]) => checkSet(added.get(key) ?? [], ofKey));
  return finding("no acknowledged write lost", additions.length, wrong);
}

function checkSet(additions: readonly OperationOf<"add">[], lists: readonly OperationOf<"list">[]): string[] {
  const wrong: string[] = [];
  const byElement = new Map(additions.map((addition) => [addition.element, addition]));
  /** When it was first known, to anyone, that the element is in the set. */
  const known = new Map<string, Instant>();
  for (const { element, outcome, completed } of additions)
    if (outcome === "ok") known.set(element, completed);
  for (const list of lists) {
    const seen = new Set(list.elements);
    if (seen.size < list.elements.length) wrong.push(`an element is listed twice: ${describe(list)}`);
    for (const element of seen) {
      const addition = byElement.get(element);
      if (addition === undefined) wrong.push(`${element} was never added to ${list.key}`);
      else if (addition.outcome === "failed") wrong.push(`refused, but there: ${describe(addition)}`);
      else if (addition.invoked > list.completed) wrong.push(`seen before it was: ${describe(addition)}`);
      known.set(element, Math.min(known.get(element) ?? Infinity, list.completed) as Instant);
    }
  }
  for (const list of lists) {
    const seen = new Set(list.elements);
    for (const [element, since] of known) {
      if (since < list.invoked && !seen.has(element)) {
        wrong.push(`lost: ${element} of ${list.key}, there at ${since}, not in the list of ${list.invoked}`);
      }
    }
  }
  return wrong;
}
