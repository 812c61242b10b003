/** What one transaction meant for an election: its steps, as histories have them. */

import { type Layout, readCurrent, readElected, readPolicy } from "../../../election/priority/layout.ts";
import type { ClientRequest } from "../../../wire/client/request.ts";
import type { Znode, Written } from "./recording-tree.ts";

/** As `orchestrator/check/leadership` judges them, without their time. */
export type Step =
  | { kind: "stands" | "gone"; member: string }
  | {
      kind: "elected";
      term: number;
      read: number;
      member: string | null;
      excluded: readonly string[];
      rounds: number;
    }
  | { kind: "current"; member: string; term: number; status: string }
  | {
      kind: "freed";
      member: string;
      how: "by its owner" | "with its session" | "by the elector" | "by another";
    }
  | { kind: "claim refused"; member: string; term: number }
  | { kind: "policy"; prefer: readonly string[]; exclude: readonly string[] };

export function stepsOf(written: Written, layout: Layout): Step[] {
  const { before, after } = written;
  const steps: Step[] = [];
  for (const member of after.standing)
    if (!before.standing.has(member)) steps.push({ kind: "stands", member });
  const policy = isChanged(before.policy, after.policy) ? readPolicy(after.policy?.data ?? null) : null;
  if (policy !== null) steps.push({ kind: "policy", ...policy });
  if (after.elected !== null && isChanged(before.elected, after.elected)) {
    const elected = readElected(after.elected.data);
    const { version: term } = after.elected;
    const read = readVersion(written.request, layout.elected);
    if (elected !== null && before.elected !== null) steps.push({ kind: "elected", term, read, ...elected });
  }
  steps.push(...ofCurrent(written), ...refusedClaim(written, layout));
  for (const member of before.standing) if (!after.standing.has(member)) steps.push({ kind: "gone", member });
  return steps;
}

function ofCurrent({ request, session, before, after }: Written): Step[] {
  const [was, is] = [before.current, after.current];
  const steps: Step[] = [];
  if (was !== null && was.czxid !== is?.czxid) {
    const member = readCurrent(was.data)?.member ?? "";
    const isEnd = request.kind === "closeSession";
    const isElectors = isChanged(before.elected, after.elected);
    const byOther = isElectors ? "by the elector" : "by another";
    const how = isEnd ? "with its session" : session === was.owner ? "by its owner" : byOther;
    steps.push({ kind: "freed", member, how });
  }
  const current = is === null || !isChanged(was, is) ? null : readCurrent(is.data);
  if (current !== null) steps.push({ kind: "current", ...current });
  return steps;
}

function refusedClaim({ request, before, after }: Written, layout: Layout): Step[] {
  if (request.kind !== "multi") return [];
  const claim = request.operations.find(({ kind, path }) => kind === "create" && path === layout.current);
  const current = claim !== undefined && "data" in claim ? readCurrent(claim.data) : null;
  if (current === null || isChanged(before.current, after.current)) return [];
  return [{ kind: "claim refused", member: current.member, term: current.term }];
}

const isChanged = (was: Znode | null, is: Znode | null): boolean =>
  was?.czxid !== is?.czxid || was?.version !== is?.version;

/** What the writer demanded of what it wrote over; -1: nothing. */
function readVersion(request: ClientRequest, path: string): number {
  const all = request.kind === "multi" ? request.operations : [request];
  const set = all.find((each) => each.kind === "setData" && each.path === path);
  return set !== undefined && "version" in set ? set.version : -1;
}
