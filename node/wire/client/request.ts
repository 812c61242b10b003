/** Every request and every reply of the protocol as one union each, and their way into bytes and back. */

import {
  type AclOfNode,
  type Auth,
  type Identities,
  readAclOfNode,
  readAuth,
  readIdentities,
  readSetAcl,
  type SetAcl,
  writeAclOfNode,
  writeAuth,
  writeIdentities,
  writeSetAcl,
} from "./access.ts";
import {
  type Count,
  type Names,
  type NamesWithStat,
  readCount,
  readNames,
  readNamesWithStat,
  writeCount,
  writeNames,
  writeNamesWithStat,
} from "./children.ts";
import {
  type Create,
  type Created,
  type CreatedWithStat,
  readCreate,
  readCreated,
  readCreatedWithStat,
  writeCreate,
  writeCreated,
  writeCreatedWithStat,
} from "./create.ts";
import type { JuteReader, JuteWriter } from "./jute.ts";
import {
  type Multi,
  type MultiResults,
  readMulti,
  readMultiResults,
  writeMulti,
  writeMultiResults,
} from "./multi.ts";
import {
  type Data,
  type Described,
  type PathAlone,
  readData,
  readDescribed,
  readPathAlone,
  readSetData,
  readSynced,
  readVersionedPath,
  readWatchedPath,
  type SetData,
  type Synced,
  type VersionedPath,
  type WatchedPath,
  writeData,
  writeDescribed,
  writePathAlone,
  writeSetData,
  writeSynced,
  writeVersionedPath,
  writeWatchedPath,
} from "./node.ts";
import type { Operation } from "./operation.ts";
import {
  type Bare,
  type OpenSession,
  type Reconfig,
  readOpenSession,
  readReconfig,
  readSessionOpened,
  type SessionOpened,
  writeOpenSession,
  writeReconfig,
  writeSessionOpened,
} from "./session.ts";
import {
  type AddWatch,
  readAddWatch,
  readSetWatches,
  readWatchOfType,
  type SetWatches,
  type WatchOfType,
  writeAddWatch,
  writeSetWatches,
  writeWatchOfType,
} from "./watch.ts";

export type ClientRequest =
  | Create
  | WatchedPath
  | SetData
  | VersionedPath
  | PathAlone
  | SetAcl
  | Multi
  | SetWatches
  | AddWatch
  | WatchOfType
  | Auth
  | OpenSession
  | Reconfig
  | Bare;

export function writeRequest(writer: JuteWriter, request: ClientRequest): JuteWriter {
  switch (request.kind) {
    case "create":
    case "create2":
    case "createContainer":
    case "createTtl":
      return writeCreate(writer, request);
    case "exists":
    case "getData":
    case "getChildren":
    case "getChildren2":
      return writeWatchedPath(writer, request);
    case "setData":
      return writeSetData(writer, request);
    case "delete":
    case "check":
      return writeVersionedPath(writer, request);
    case "sync":
    case "getAcl":
    case "getAllChildrenNumber":
    case "getEphemerals":
    case "deleteContainer":
      return writePathAlone(writer, request);
    case "setAcl":
      return writeSetAcl(writer, request);
    case "multi":
    case "multiRead":
      return writeMulti(writer, request);
    case "setWatches":
    case "setWatches2":
      return writeSetWatches(writer, request);
    case "addWatch":
      return writeAddWatch(writer, request);
    case "checkWatches":
    case "removeWatches":
      return writeWatchOfType(writer, request);
    case "auth":
      return writeAuth(writer, request);
    case "createSession":
      return writeOpenSession(writer, request);
    case "reconfig":
      return writeReconfig(writer, request);
    default:
      return writer;
  }
}

/**
 * Null when the bytes are no such request. What follows the request in its frame is passed over, as ZooKeeper
 * does.
 */
export function readRequest(kind: Operation, reader: JuteReader): ClientRequest | null {
  const request = readBody(kind, reader);
  return reader.failed ? null : request;
}

function readBody(kind: Operation, reader: JuteReader): ClientRequest | null {
  switch (kind) {
    case "create":
    case "create2":
    case "createContainer":
    case "createTtl":
      return readCreate(kind, reader);
    case "exists":
    case "getData":
    case "getChildren":
    case "getChildren2":
      return readWatchedPath(kind, reader);
    case "setData":
      return readSetData(reader);
    case "delete":
    case "check":
      return readVersionedPath(kind, reader);
    case "sync":
    case "getAcl":
    case "getAllChildrenNumber":
    case "getEphemerals":
    case "deleteContainer":
      return readPathAlone(kind, reader);
    case "setAcl":
      return readSetAcl(reader);
    case "multi":
    case "multiRead":
      return readMulti(kind, reader);
    case "setWatches":
    case "setWatches2":
      return readSetWatches(kind, reader);
    case "addWatch":
      return readAddWatch(reader);
    case "checkWatches":
    case "removeWatches":
      return readWatchOfType(kind, reader);
    case "auth":
      return readAuth(reader);
    case "createSession":
      return readOpenSession(reader);
    case "reconfig":
      return readReconfig(reader);
    case "ping":
    case "closeSession":
    case "whoAmI":
      return { kind };
    case "sasl":
      return null;
  }
}

export type ClientReply =
  | Created
  | CreatedWithStat
  | Described
  | Data
  | Names
  | NamesWithStat
  | Count
  | AclOfNode
  | Identities
  | Synced
  | MultiResults
  | SessionOpened
  | { readonly kind: "addWatch" }
  | { readonly kind: "done" };

export function writeReply(writer: JuteWriter, reply: ClientReply): JuteWriter {
  switch (reply.kind) {
    case "create":
      return writeCreated(writer, reply);
    case "create2":
      return writeCreatedWithStat(writer, reply);
    case "exists":
    case "setData":
    case "setAcl":
    case "check":
      return writeDescribed(writer, reply);
    case "getData":
      return writeData(writer, reply);
    case "getChildren":
    case "getEphemerals":
      return writeNames(writer, reply);
    case "getChildren2":
      return writeNamesWithStat(writer, reply);
    case "getAllChildrenNumber":
      return writeCount(writer, reply);
    case "getAcl":
      return writeAclOfNode(writer, reply);
    case "whoAmI":
      return writeIdentities(writer, reply);
    case "sync":
      return writeSynced(writer, reply);
    case "multi":
    case "multiRead":
      return writeMultiResults(writer, reply);
    case "createSession":
      return writeSessionOpened(writer, reply);
    case "addWatch":
      return writer.int(0);
    case "done":
      return writer;
  }
}

/** The reply to a request of this kind that did not fail; null when the bytes are no such reply. */
export function readReply(kind: Operation, reader: JuteReader): ClientReply | null {
  const reply = readReplyBody(kind, reader);
  return reader.failed ? null : reply;
}

function readReplyBody(kind: Operation, reader: JuteReader): ClientReply {
  switch (kind) {
    case "create":
      return readCreated(reader);
    case "create2":
    case "createContainer":
    case "createTtl":
      return readCreatedWithStat(reader);
    case "exists":
    case "setData":
    case "setAcl":
    case "check":
      return readDescribed(kind, reader);
    case "getData":
      return readData(reader);
    case "getChildren":
    case "getEphemerals":
      return readNames(kind, reader);
    case "getChildren2":
      return readNamesWithStat(reader);
    case "getAllChildrenNumber":
      return readCount(reader);
    case "getAcl":
      return readAclOfNode(reader);
    case "whoAmI":
      return readIdentities(reader);
    case "sync":
      return readSynced(reader);
    case "multi":
    case "multiRead":
      return readMultiResults(kind, reader);
    case "createSession":
      return readSessionOpened(reader);
    case "addWatch":
      reader.int();
      return { kind };
    default:
      return { kind: "done" };
  }
}
