/** How a member comes to stand: what it asks for, and how it reads what became of a multi. */

import type { Answer } from "../../core/service.ts";
import type { Coordination } from "../../wire/client/coordination.ts";
import type { Create } from "../../wire/client/create.ts";
import { ERRORS } from "../../wire/client/error.ts";
import type { Multi } from "../../wire/client/multi.ts";
import { below, creation, foundationOf } from "../medium/way.ts";
import { type Description, type Layout, NEVER, NO_POLICY, NOBODY, printed } from "./layout.ts";

/** Both its znodes at once, so that who was not told cannot make them twice. */
export function standing({ nodes, election, acl }: Layout, prefix: string, description: Description): Multi {
  return {
    kind: "multi",
    operations: [
      creation(below(nodes, prefix.slice(0, -1)), "ephemeral", printed(description), acl),
      creation(below(election, prefix), "ephemeralSequential", undefined, acl),
    ],
  };
}

/** What lies below the root, where it is not yet. */
export function foundation(root: string, layout: Layout): readonly (Create | Multi)[] {
  const { election, nodes, leader, elected, last, policy, acl } = layout;
  const folders = [election, nodes, leader].map((path) => creation(path, "persistent", undefined, acl));
  // All or nothing: terms would fall if one of them were made anew.
  const operations = [
    creation(elected, "persistent", printed(NOBODY), acl),
    creation(last, "persistent", printed(NEVER), acl),
    creation(policy, "persistent", printed(NO_POLICY), acl),
  ];
  return [...foundationOf(root, acl), ...folders, { kind: "multi", operations }];
}

/** Below which folder a member may not stand: its description comes first. */
export function refusedAt(answer: Answer<Coordination>, { nodes, election }: Layout): string {
  if (answer.kind !== "done" || answer.reply.kind !== "multi") return election;
  const [described] = answer.reply.results;
  return described?.kind === "error" && !BYSTANDERS.has(described.error) ? nodes : election;
}

/** Of a multi, the error of the operation that stopped it. */
export function errorOf(answer: Answer<Coordination>): number {
  if (answer.kind === "refused") return answer.error;
  if (answer.kind === "unknown" || answer.reply.kind !== "multi") return ERRORS.ok;
  for (const result of answer.reply.results) {
    const isCause = result.kind === "error" && !BYSTANDERS.has(result.error);
    if (isCause) return result.error;
  }
  return ERRORS.ok;
}

/** What those before and after it say. */
const BYSTANDERS: ReadonlySet<number> = new Set([ERRORS.ok, ERRORS.runtimeInconsistency]);
