/** Who stands in an election and in which order they came, as an observer saw its znodes come and go. */

import { standingOf } from "#node/election/medium/standing.ts";
import type { Seen } from "./member-line.ts";

/** Of the znodes right below `parent` that are numbered, the least first. */
export function standingIn(seen: readonly Seen[], parent: string): readonly string[] {
  const there = new Map<string, number>();
  for (const { path, kind } of seen) {
    const at = path.lastIndexOf("/");
    if (path.slice(0, at) !== parent) continue;
    const name = path.slice(at + 1);
    const number = standingOf(name)?.number;
    if (kind === "deleted") there.delete(name);
    else if (number !== undefined) there.set(name, number);
  }
  return [...there].sort(([, a], [, b]) => a - b).map(([name]) => name);
}
