/**
 * The operator's list, best first: who leads; when it is lost, who follows; then the others, by what each can
 * offer. Where whole sites are lost, who stands beside the leader comes before its successor elsewhere.
 */

import type { ServerId } from "#node/core/identity.ts";
import { better, type Evaluation, type Reign } from "./evaluate.ts";
import type { AdviceQuestion } from "./question.ts";

export function orderOf({ reigns, best }: Evaluation, { goal, lose }: AdviceQuestion): readonly ServerId[] {
  const rest = [...reigns].sort((a, b) => better(goal, offered(a), offered(b)) || a.server - b.server);
  const leader = rest.find(({ server }) => server === best.leader);
  const beside = lose === "server" ? [] : rest.filter(({ site }) => site === leader?.site);
  const follows = rest.filter(({ server }) => server === best.successor);
  const inOrder = [...(leader === undefined ? [] : [leader]), ...beside, ...follows, ...rest];
  return [...new Set(inOrder.map(({ server }) => server))];
}

/** With the best successor that it could have. */
const offered = (reign: Reign) => ({
  ...reign,
  outageMs: Math.min(Number.POSITIVE_INFINITY, ...reign.successors.map(({ outageMs }) => outageMs)),
});
