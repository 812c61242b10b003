/**
 * The reads, answered from the state of this server as it is; some of them leave a watch behind.
 *
 * As in ZooKeeper, `exists` watches also what is not there; the other reads of a missing znode leave nothing.
 * `exists` needs READ permission of the znode itself, and none where there is no znode, as from 3.8.4 and
 * 3.9.2 on; 3.8.0 lets anybody look, and hear what they missed of watches that they set again.
 */

import type { ClientId } from "../core/identity.ts";
import { PERMISSION } from "../wire/client/acl.ts";
import type { Multi, MultiResult } from "../wire/client/multi.ts";
import type { PathAlone, WatchedPath } from "../wire/client/node.ts";
import type { ClientRequest } from "../wire/client/request.ts";
import {
  ADD_WATCH_MODES,
  type AddWatch,
  EVENT_TYPES,
  type SetWatches,
  WATCH_TYPE,
} from "../wire/client/watch.ts";
import { permits, userOf, withoutSecrets } from "./access.ts";
import { OPEN_ACL } from "./acl-table.ts";
import { NO_ROW, type Row } from "./nodes.ts";
import { nameOf, ROOT } from "./path.ts";
import type { Caller, Failure, Outcome } from "./payload.ts";
import type { State } from "./state.ts";
import { MODE, type Watches, type WatchFired } from "./watches.ts";
import { DONE, fail } from "./writes.ts";

/** What a read may look at, and who asks. */
export interface Reading {
  readonly state: State;
  readonly watches: Watches;
  readonly client: ClientId;
  readonly caller: Caller;
  /** A watch that was asked for too late fires at once. */
  readonly fire: (fired: Omit<WatchFired, "kind" | "client" | "zxid">) => void;
}

export function read(reading: Reading, request: ClientRequest): Outcome {
  switch (request.kind) {
    case "exists":
    case "getData":
    case "getChildren":
    case "getChildren2":
      return readNode(reading, request);
    case "getAcl":
      return getAcl(reading, request);
    case "getAllChildrenNumber":
      return countBelow(reading, request);
    case "getEphemerals":
      return getEphemerals(reading, request);
    case "multiRead":
      return multiRead(reading, request);
    case "setWatches":
    case "setWatches2":
      return setWatches(reading, request);
    case "addWatch":
      return addWatch(reading, request);
    case "checkWatches":
    case "removeWatches": {
      const { path, type } = request;
      if (!TYPES.has(type)) return fail("marshalling");
      const found = request.kind === "checkWatches" ? "has" : "remove";
      return reading.watches[found](reading.client, path, type) ? DONE : fail("noWatcher");
    }
    case "whoAmI":
      return { kind: "whoAmI", users: reading.caller.ids.map(userOf) };
    case "ping":
      return DONE;
    case "sync":
      return { kind: "sync", path: request.path };
    default:
      return fail("unimplemented");
  }
}

function readNode(reading: Reading, { kind, path, watch }: WatchedPath): Outcome {
  const { state, watches, client } = reading;
  const { asIn380 } = reading.caller.options;
  const { nodes } = state;
  const row = nodes.find(path);
  if (row === NO_ROW) {
    if (kind === "exists" && path.includes("\0")) return fail("badArguments");
    if (kind === "exists" && watch) watches.add(client, path, MODE.data, asIn380);
    return fail("noNode");
  }
  const isOpenToAll = kind === "exists" && asIn380;
  const refusal = isOpenToAll ? null : refuse(reading, row, PERMISSION.read);
  if (refusal !== null) return refusal;
  const list = kind === "getChildren" || kind === "getChildren2";
  if (watch) watches.add(client, path, list ? MODE.child : MODE.data, asIn380);
  switch (kind) {
    case "exists":
      return { kind, stat: nodes.stat(row) };
    case "getData":
      return { kind, data: nodes.data(row), stat: nodes.stat(row) };
    case "getChildren":
      return { kind, names: namesBelow(state, row) };
    case "getChildren2":
      return { kind, names: namesBelow(state, row), stat: nodes.stat(row) };
  }
}

function getAcl(reading: Reading, { path }: PathAlone): Outcome {
  const { nodes } = reading.state;
  const row = nodes.find(path);
  if (row === NO_ROW) return fail("noNode");
  const refusal = refuse(reading, row, PERMISSION.read | PERMISSION.admin);
  if (refusal !== null) return refusal;
  const acl = reading.state.aclOf(row);
  const mayAdminister = refuse(reading, row, PERMISSION.admin) === null;
  return { kind: "getAcl", acl: mayAdminister ? acl : withoutSecrets(acl), stat: nodes.stat(row) };
}

function countBelow(reading: Reading, { path }: PathAlone): Outcome {
  const { nodes } = reading.state;
  const row = nodes.find(path);
  if (row === NO_ROW) return fail("noNode");
  const refusal = refuse(reading, row, PERMISSION.read);
  if (refusal !== null) return refusal;
  return { kind: "getAllChildrenNumber", count: nodes.total(row).znodes - 1 };
}

function getEphemerals({ state, caller }: Reading, { path }: PathAlone): Outcome {
  const all = [...(state.sessions.get(caller.session)?.ephemerals ?? [])];
  const everywhere = path.trim() === "" || path.trim() === ROOT;
  return { kind: "getEphemerals", names: everywhere ? all : all.filter((each) => each.startsWith(path)) };
}

/**
 * Each read for itself: that one fails does not hinder the others. But a path of two letters can stand for a
 * megabyte, so once the answer is longer than any client takes, the rest of it fails.
 */
function multiRead(reading: Reading, { operations }: Multi): Outcome {
  let bytes = 0;
  const results = operations.map((operation) => {
    const known = operation.kind === "getData" || operation.kind === "getChildren";
    if (!known || bytes > MOST_READ_TOGETHER) return fail("marshalling");
    const result = readNode(reading, operation) as MultiResult;
    if (result.kind === "getData") bytes += result.data?.length ?? 0;
    if (result.kind === "getChildren") for (const name of result.names) bytes += 4 + name.length;
    return result;
  });
  return { kind: "multiRead", results };
}

/** ZooKeeper's clients take 1 MiB, older ones 4. */
const MOST_READ_TOGETHER = 16 << 20;

/**
 * The watches of a client that was connected elsewhere: what it has missed fires at once, the rest is set.
 */
function setWatches(reading: Reading, request: SetWatches): Outcome {
  const { state, watches, client, caller, fire } = reading;
  const { nodes } = state;
  const { asIn380 } = caller.options;
  const report = (type: keyof typeof EVENT_TYPES, path: string, row: Row): void =>
    fire({ type: EVENT_TYPES[type], path, acl: row === NO_ROW || asIn380 ? null : state.aclOf(row) });

  for (const path of request.data) {
    const row = nodes.find(path);
    if (row === NO_ROW) report("deleted", path, row);
    else if (nodes.mzxid(row) > request.relativeZxid) report("dataChanged", path, row);
    else watches.add(client, path, MODE.data, asIn380);
  }
  for (const path of request.exist) {
    const row = nodes.find(path);
    if (row !== NO_ROW) report("created", path, row);
    else watches.add(client, path, MODE.data, asIn380);
  }
  for (const path of request.child) {
    const row = nodes.find(path);
    if (row === NO_ROW) report("deleted", path, row);
    else if (nodes.pzxid(row) > request.relativeZxid) report("childrenChanged", path, row);
    else watches.add(client, path, MODE.child, asIn380);
  }
  for (const path of request.persistent) watches.add(client, path, MODE.persistent, asIn380);
  for (const path of request.recursive) watches.add(client, path, MODE.recursive, asIn380);
  return DONE;
}

function addWatch({ watches, client, caller }: Reading, { path, mode }: AddWatch): Outcome {
  const name = ADD_WATCH_MODES[mode];
  if (name === undefined) return fail("marshalling");
  watches.add(client, path, MODE[name], caller.options.asIn380);
  return { kind: "addWatch" };
}

function refuse({ state, caller }: Reading, row: Row, permission: number): Failure | null {
  const open = state.nodes.acl(row) === OPEN_ACL || permits(state.aclOf(row), permission, caller.ids);
  return open ? null : fail("noAuth");
}

function namesBelow({ nodes }: State, row: Row): string[] {
  const names: string[] = [];
  for (const child of nodes.children(row)) names.push(nameOf(nodes.path(child)));
  return names;
}

const TYPES: ReadonlySet<number> = new Set(Object.values(WATCH_TYPE));
