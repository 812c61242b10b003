/**
 * Writes, and reads that a sync went before, are linearizable, znode by znode.
 *
 * One znode alone is an easy model: a value and a version, or nothing. Linearizability is local (Herlihy and
 * Wing 1990, theorem 1), so checking every znode alone checks them all, and the search stays small. Reads
 * without a sync promise less; `session-order.ts` checks what they promise.
 */

import { describe, type History, isOperation, type Operation, type OperationOf } from "./history.ts";
import { linearize, type Model, type Span } from "./linearizability.ts";
import { type Finding, finding } from "./verdict.ts";

export type ZnodeOperation = OperationOf<"create" | "write" | "remove" | "read">;

export interface ZnodeState {
  readonly value: string;
  readonly version: number;
}

/** There is no such znode, as at the beginning of every history. */
export const ABSENT: ZnodeState = { value: "", version: -1 };

/** Steps of the search for one znode. A history without long outages takes about one step an operation. */
export const DEFAULT_BUDGET = 1_000_000;

export const znodeModel: Model<ZnodeState, ZnodeOperation> = {
  initial: ABSENT,
  apply: (state, operation) =>
    operation.outcome === "failed" ? refuse(state, operation) : perform(state, operation),
  print: ({ value, version }) => `${version} ${value}`,
};

export function linearizableZnodes(history: History, budget = DEFAULT_BUDGET): Finding {
  const operations = history.filter(isOperation).filter(isZnodeOperation).filter(saysSomething);
  const wrong: string[] = [];
  const undecided: string[] = [];
  for (const [key, ofKey] of Map.groupBy(operations, (operation) => operation.key)) {
    const answer = linearize(ofKey.map(span), znodeModel, budget);
    if (answer.kind === "impossible") wrong.push(`${key}: no order explains ${describe(answer.stuck)}`);
    if (answer.kind === "exhausted") undecided.push(`${key}: not decided within ${budget} steps`);
  }
  const found = finding("writes and synced reads linearizable", operations.length, wrong);
  return found.judgement === "valid" && undecided.length > 0
    ? { ...found, judgement: "unknown", reasons: undecided }
    : found;
}

const isZnodeOperation = (operation: Operation): operation is ZnodeOperation =>
  ["create", "write", "remove", "read"].includes(operation.kind);

/** A read without an answer says nothing, nor does a refusal for reasons that are not the znode's. */
function saysSomething(operation: ZnodeOperation): boolean {
  if (operation.kind === "read") return operation.synced && operation.outcome === "ok";
  return operation.failure !== "other";
}

const span = (operation: ZnodeOperation): Span<ZnodeOperation> => ({
  invoked: operation.invoked,
  completed: operation.outcome === "unknown" ? null : operation.completed,
  operation,
});

function perform(state: ZnodeState, operation: ZnodeOperation): ZnodeState | null {
  const there = state.version >= 0;
  switch (operation.kind) {
    case "create":
      return there ? null : { value: operation.value, version: 0 };
    case "write": {
      const version = state.version + 1;
      const told = operation.version === null || operation.version === version;
      return there && meets(state, operation.expected) && told ? { value: operation.value, version } : null;
    }
    case "remove":
      return there && meets(state, operation.expected) ? ABSENT : null;
    default: {
      const { value, version } = operation.sight ?? ABSENT;
      return value === state.value && version === state.version ? state : null;
    }
  }
}

/** A refusal changes nothing, but only some states refuse. */
function refuse(state: ZnodeState, operation: ZnodeOperation): ZnodeState | null {
  const there = state.version >= 0;
  const expected = operation.kind === "write" || operation.kind === "remove" ? operation.expected : null;
  const explained =
    (operation.failure === "exists" && there) ||
    (operation.failure === "absent" && !there) ||
    (operation.failure === "version" && there && !meets(state, expected));
  return explained ? state : null;
}

const meets = (state: ZnodeState, expected: number | null): boolean =>
  expected === null || expected === state.version;
