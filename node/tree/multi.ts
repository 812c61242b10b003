/**
 * All or nothing: the operations are done one after another, each seeing what those before it did, and the
 * first that fails takes all of them back. The answer to a failed one says 0 for those before the failure,
 * the error for the one that failed, and "runtime inconsistency" for those after it, as every client library
 * expects.
 */

import { unreachable } from "../core/assert.ts";
import { ERRORS } from "../wire/client/error.ts";
import type { Multi, MultiOperation, MultiResult } from "../wire/client/multi.ts";
import type { Caller, Failure, Outcome } from "./payload.ts";
import type { Moment, State } from "./state.ts";
import { check, create, fail, remove, setData } from "./writes.ts";

export function multi(state: State, { operations }: Multi, caller: Caller, now: Moment): Outcome {
  const results: MultiResult[] = [];
  state.undo.open();
  for (const operation of operations) {
    const result = execute(state, operation, caller, now);
    if (result.kind === "error") {
      state.undo.rollBack();
      state.forgetHappenings();
      return { kind: "multi", results: failedAt(results.length, result, operations.length) };
    }
    const isPlain = operation.kind === "create2" && caller.options.asIn380;
    results.push(isPlain ? withoutStat(result) : result);
  }
  state.undo.keep();
  return { kind: "multi", results };
}

/** In 3.8.0 `create2` is answered as `create`; the other creations are not. */
const withoutStat = (result: MultiResult): MultiResult =>
  result.kind === "create2" ? { kind: "create", path: result.path } : result;

function failedAt(failed: number, failure: Failure, count: number): MultiResult[] {
  return Array.from({ length: count }, (_, index) => {
    if (index === failed) return failure;
    return { kind: "error", error: index < failed ? ERRORS.ok : ERRORS.runtimeInconsistency };
  });
}

function execute(state: State, operation: MultiOperation, caller: Caller, now: Moment): MultiResult {
  switch (operation.kind) {
    case "create":
    case "create2":
    case "createContainer":
    case "createTtl":
      return create(state, operation, caller, now) as MultiResult;
    case "setData":
      return setData(state, operation, caller, now) as MultiResult;
    case "delete":
      return done("delete", remove(state, operation, caller, now));
    case "check":
      return done("check", check(state, operation, caller));
    // The decoder lets no read into a multi.
    case "exists":
    case "getData":
    case "getChildren":
    case "getChildren2":
      return fail("marshalling");
    default:
      return unreachable(operation);
  }
}

const done = (kind: "delete" | "check", outcome: Outcome): MultiResult =>
  outcome.kind === "error" ? outcome : { kind };
