/** What a reply says when it does not say 0: ZooKeeper's numbers under its names (`KeeperException.Code`). */

export const ERRORS = {
  ok: 0,
  systemError: -1,
  runtimeInconsistency: -2,
  connectionLoss: -4,
  /** The request could not be read. */
  marshalling: -5,
  unimplemented: -6,
  operationTimeout: -7,
  badArguments: -8,
  noNode: -101,
  noAuth: -102,
  badVersion: -103,
  noChildrenForEphemerals: -108,
  nodeExists: -110,
  notEmpty: -111,
  sessionExpired: -112,
  invalidAcl: -114,
  authFailed: -115,
  /** The session is served by another server now. */
  sessionMoved: -118,
  notReadOnly: -119,
  noWatcher: -121,
  reconfigDisabled: -123,
  quotaExceeded: -125,
} as const;

export type ErrorName = keyof typeof ERRORS;
