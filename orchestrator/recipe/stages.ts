/**
 * The stages of one handover, from the trouble of the old leader to the first act of the next, as the service
 * showed them to an observer and members told them.
 */

import type { Heard } from "./member-process.ts";

/** What an observer beside the service was told of a znode, in milliseconds. */
export interface Seen {
  readonly at: number;
  readonly path: string;
  readonly kind: string;
}

export interface Handover {
  readonly from: string;
  readonly to: string;
  /** Milliseconds after the trouble began; null where the recipe has no such stage. */
  readonly sessionEnd: number | null;
  readonly elected: number | null;
  readonly progress: number | null;
  readonly acts: number;
  /** For how long both were at work as leaders. */
  readonly overlap: number;
}

/** `goesOn` is when an old leader that stood still was let go on; who did not is at work all the time. */
export function handoverOf(
  from: string,
  { since, goesOn }: { readonly since: number; readonly goesOn: number },
  next: Heard,
  heard: readonly Heard[],
  seen: readonly Seen[],
): Handover {
  const until = next.at;
  // The observer may hear of a stage after the member has gone on.
  const during = seen.filter(({ at }) => at >= since);
  const after = (at: number | undefined): number | null => (at === undefined ? null : at - since);
  const first = (suffix: string, kind: string): number | null =>
    after(during.find((each) => each.path.endsWith(suffix) && each.kind === kind)?.at);
  const gone = during.find(({ path, kind }) => kind === "deleted" && nameOf(path).startsWith(`${from}-`));
  const rests = heard.find(({ member, kind, at }) => member === from && kind === "rests" && at >= since);
  return {
    from,
    to: next.member,
    sessionEnd: after(gone?.at),
    elected: first("/leader/elected", "dataChanged"),
    progress: first("/leader/current", "created"),
    acts: until - since,
    overlap: rests === undefined ? 0 : Math.max(0, rests.at - Math.max(until, goesOn)),
  };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
