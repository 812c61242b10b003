/** When whom members took for the leader was themselves: for how long nobody acted, and two at once. */

import type { Heard } from "./member.ts";

interface Span {
  readonly member: string;
  readonly from: number;
  readonly to: number;
}

/** Milliseconds of the machine's clock; who still acts at the end acts to `until`. */
export function spansOf(heard: readonly Heard[], until: number): readonly Span[] {
  const begun = new Map<string, number>();
  const spans: Span[] = [];
  for (const { kind, member, at } of heard.toSorted((a, b) => a.at - b.at)) {
    if (kind === "acts") begun.set(member, begun.get(member) ?? at);
    if (kind !== "rests") continue;
    const from = begun.get(member);
    begun.delete(member);
    if (from !== undefined) spans.push({ member, from, to: at });
  }
  for (const [member, from] of begun) spans.push({ member, from, to: until });
  return spans;
}

/** For how long so many members acted at once: none, one, or more than one. */
export function shareOf(
  spans: readonly Span[],
  since: number,
  until: number,
): { readonly nobody: number; readonly several: number } {
  const edges = spans
    .flatMap(({ from, to }) => [
      { at: Math.max(since, from), by: 1 },
      { at: Math.max(since, to), by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let [at, acting, nobody, several] = [since, 0, 0, 0];
  for (const edge of [...edges, { at: until, by: 0 }]) {
    const next = Math.min(edge.at, until);
    if (acting === 0) nobody += next - at;
    if (acting > 1) several += next - at;
    at = next;
    acting += edge.by;
  }
  return { nobody, several };
}
