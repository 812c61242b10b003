/**
 * The writes: what must hold before each of them, in the order in which ZooKeeper looks, and then what it
 * does.
 *
 * The order shows: a request with two things wrong fails with the error of the first. Everything is decided
 * before anything is changed, so a request that fails has changed nothing.
 */

import { type Acl, PERMISSION } from "../wire/client/acl.ts";
import type { SetAcl } from "../wire/client/access.ts";
import { CREATE_MODES, type Create } from "../wire/client/create.ts";
import { ERRORS, type ErrorName } from "../wire/client/error.ts";
import { ANY_VERSION, type SetData, type VersionedPath } from "../wire/client/node.ts";
import { ACL_BOUNDS, type AclBounds, permits, storable } from "./access.ts";
import { OPEN_ACL } from "./acl-table.ts";
import { CONTAINER, NO_ROW, type Owner, ownerOfTimeToLive, type Row } from "./nodes.ts";
import { isReserved, isValidPath, parentOf, sequentialSuffix } from "./path.ts";
import { perishesAt } from "./perishables.ts";
import type { Caller, Failure, Outcome } from "./payload.ts";
import { LARGEST_RECORD } from "./snapshot.ts";
import type { Moment, State } from "./state.ts";

export const fail = (name: ErrorName): Failure => ({ kind: "error", error: ERRORS[name] });

export function create(state: State, request: Create, caller: Caller, now: Moment): Outcome {
  const { nodes } = state;
  const owner = ownerFor(request, caller);
  if (typeof owner !== "number") return owner;
  if (!request.path.includes("/") || request.path.includes("\0")) return fail("badArguments");
  const acl = storableFor(caller, request.acl);
  if (acl === null) return fail("invalidAcl");
  const parent = nodes.find(parentOf(request.path));
  if (parent === NO_ROW) return fail("noNode");
  if (!allowed(state, parent, PERMISSION.create, caller)) return fail("noAuth");
  const sequential = CREATE_MODES[request.flags]?.sequential === true;
  const path = request.path + (sequential ? sequentialSuffix(nodes.creations(parent)) : "");
  if (!isValidPath(path)) return fail("badArguments");
  if (nodes.find(path) !== NO_ROW) return fail("nodeExists");
  if (nodes.owner(parent) > 0) return fail("noChildrenForEphemerals");
  const bytes = request.data?.length ?? 0;
  if (caller.options.enforceQuota && state.quotas.exceeded(path, 1, bytes)) return fail("quotaExceeded");

  const row = state.create(path, parent, request.data, acl, owner, now);
  return request.kind === "create"
    ? { kind: "create", path }
    : { kind: "create2", path, stat: nodes.stat(row) };
}

export function remove(state: State, { path, version }: VersionedPath, caller: Caller, now: Moment): Outcome {
  const { nodes } = state;
  if (!path.includes("/") || path.includes("\0") || isReserved(path)) return fail("badArguments");
  const parent = nodes.find(parentOf(path));
  if (parent === NO_ROW) return fail("noNode");
  if (!allowed(state, parent, PERMISSION.delete, caller)) return fail("noAuth");
  const row = nodes.find(path);
  if (row === NO_ROW) return fail("noNode");
  if (!agrees(nodes.version(row), version)) return fail("badVersion");
  if (nodes.childCount(row) > 0) return fail("notEmpty");

  state.remove(row, now);
  return DONE;
}

export function setData(state: State, request: SetData, caller: Caller, now: Moment): Outcome {
  const { nodes } = state;
  const { path, data, version } = request;
  if (!isValidPath(path)) return fail("badArguments");
  const row = nodes.find(path);
  if (row === NO_ROW) return fail("noNode");
  if (!allowed(state, row, PERMISSION.write, caller)) return fail("noAuth");
  const growth = (data?.length ?? 0) - (nodes.data(row)?.length ?? 0);
  if (caller.options.enforceQuota && state.quotas.exceeded(path, 0, growth)) return fail("quotaExceeded");
  if (!agrees(nodes.version(row), version)) return fail("badVersion");

  state.setData(row, data, now);
  return { kind: "setData", stat: nodes.stat(row) };
}

export function setAcl(state: State, request: SetAcl, caller: Caller): Outcome {
  const { nodes } = state;
  if (!isValidPath(request.path)) return fail("badArguments");
  const acl = storableFor(caller, request.acl);
  if (acl === null) return fail("invalidAcl");
  const row = nodes.find(request.path);
  if (row === NO_ROW) return fail("noNode");
  if (!allowed(state, row, PERMISSION.admin, caller)) return fail("noAuth");
  if (!agrees(nodes.aversion(row), request.version)) return fail("badVersion");

  state.setAcl(row, acl);
  return { kind: "setAcl", stat: nodes.stat(row) };
}

/** Changes nothing, but takes its place among the writes: inside a `multi` it guards the others. */
export function check(state: State, { path, version }: VersionedPath, caller: Caller): Outcome {
  const { nodes } = state;
  if (!isValidPath(path)) return fail("badArguments");
  const row = nodes.find(path);
  if (row === NO_ROW) return fail("noNode");
  if (!allowed(state, row, PERMISSION.read, caller)) return fail("noAuth");
  if (!agrees(nodes.version(row), version)) return fail("badVersion");
  return { kind: "check", stat: nodes.stat(row) };
}

/**
 * The leader found that this znode has outlived its use. It may have been used since: then it stays, which is
 * no fault of anybody.
 */
export function removePerished(state: State, path: string, now: Moment): Outcome {
  const { nodes } = state;
  const row = nodes.find(path);
  if (row === NO_ROW) return fail("noNode");
  if (nodes.childCount(row) > 0) return fail("notEmpty");
  if ((perishesAt(nodes, row) ?? Infinity) > now.time) return fail("badVersion");

  state.remove(row, now);
  return DONE;
}

export const DONE: Outcome = { kind: "done" };

function ownerFor({ kind, flags, ttl }: Create, { session, options }: Caller): Owner | Failure {
  const mode = CREATE_MODES[flags];
  if (mode === undefined) return fail("badArguments");
  if (mode.owner === "ttl" && !options.extendedTypes) return fail("unimplemented");
  const wantsTtl = mode.owner === "ttl" || kind === "createTtl";
  if (wantsTtl ? !(mode.owner === "ttl" && ttl > 0 && ttl <= LONGEST_TTL) : ttl >= 0)
    return fail("badArguments");
  if (wantsTtl) return ownerOfTimeToLive(ttl);
  if (kind === "createContainer") return CONTAINER;
  return mode.owner === "session" ? session : 0;
}

const allowed = (state: State, row: Row, permission: number, { ids }: Caller): boolean =>
  state.nodes.acl(row) === OPEN_ACL || permits(state.aclOf(row), permission, ids);

/** Whatever is executed, a snapshot can hold it. */
const READABLE: AclBounds = { bytes: LARGEST_RECORD / 2, expandedBytes: LARGEST_RECORD / 2 };

const storableFor = ({ ids, options }: Caller, acl: readonly Acl[]): Acl[] | null =>
  storable(acl, ids, options.boundedAcls ? ACL_BOUNDS : READABLE);

const agrees = (version: number, wanted: number): boolean => wanted === ANY_VERSION || wanted === version;

/** Forty bits of milliseconds, 34 years (`EphemeralType`). */
const LONGEST_TTL = 2 ** 40 - 1;
