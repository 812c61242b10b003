/** What a service refused, or what became of a question that it could not answer, in words for people. */

import { ERRORS, type ErrorName } from "../wire/client/error.ts";

const NAMES: ReadonlyMap<number, ErrorName> = new Map(
  Object.entries(ERRORS).map(([name, error]) => [error, name as ErrorName]),
);

const MEANINGS: Partial<Record<ErrorName, string>> = {
  noNode: "there is no such znode",
  nodeExists: "it is there already",
  badVersion: "it was changed meanwhile",
  notEmpty: "there are others below it",
  noAuth: "its ACL does not allow it to this client",
  authFailed: "the service does not believe who this client says it is",
  invalidAcl: "its ACL cannot be understood",
  noChildrenForEphemerals: "a znode that goes with its session has none below it",
  badArguments: "the path or the flags cannot be used",
  quotaExceeded: "a quota is reached",
  notReadOnly: "the server is cut off from the others and only reads",
};

export class ServiceError extends Error {
  override readonly name = "ServiceError";
  /** As in ZooKeeper's list, `noNode` for instance; `unknown <number>` where it has none. */
  readonly code: string;
  readonly path: string;

  constructor(error: number, operation: string, path: string) {
    const code = NAMES.get(error);
    const why = code === undefined ? `error ${error}` : (MEANINGS[code] ?? code);
    super(`${operation} ${path}: ${why}`);
    this.code = code ?? `unknown ${error}`;
    this.path = path;
  }
}

/** The connection ended before the answer came: whether it was done nobody can tell. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";

  constructor(operation: string, path: string) {
    super(`${operation} ${path}: the connection ended before the answer came; it may have been done`);
  }
}

/** The session is over, and with it what it owned and watched. */
export class SessionOver extends Error {
  override readonly name = "SessionOver";
}

/** It was refused for this reason. */
export const isRefusal = (error: unknown, code: ErrorName): error is ServiceError =>
  error instanceof ServiceError && error.code === code;
