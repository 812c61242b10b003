/**
 * What a member tells when the service refuses what it must know or write, and what people can do about it.
 */

import type { Facts } from "../../telemetry/facts.ts";
import { ERRORS, type ErrorName } from "../../wire/client/error.ts";

const NAMES: ReadonlyMap<number, ErrorName> = new Map(
  Object.entries(ERRORS).map(([name, error]) => [error, name as ErrorName]),
);

const ADVICE: Partial<Record<ErrorName, string>> = {
  noAuth: "the ACL there forbids it: let the member show who it is, or widen the ACL",
  authFailed: "the service does not believe who the member says it is: see its credentials",
  invalidAcl: "the ACL that the member gives its znodes cannot be used: give it another",
  noNode: "what it stands on was deleted and cannot be made: see whether it may create there",
  nodeExists: "something else has that name: delete it, or elect elsewhere",
  noChildrenForEphemerals: "a znode above is one that goes with its session: elect elsewhere",
  quotaExceeded: "a quota is reached: raise it, or elect elsewhere",
  badArguments: "the path cannot be used: see how it is written",
};

/** It tries again by itself. */
export function refusal(error: number, path: string): Facts {
  const code = NAMES.get(error);
  const todo = (code === undefined ? undefined : ADVICE[code]) ?? "see in the server's log why";
  return { name: "is refused", error: code ?? error, path, todo };
}
