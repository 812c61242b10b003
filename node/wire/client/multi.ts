/**
 * Several operations at once: all or nothing (`multi`), or several reads in one journey (`multiRead`).
 *
 *   multi  => (header operation)* end        header => type:i32 done:bool error:i32, done = false, error = -1
 *   result => (header result)* end           end    => type:i32 = -1, done:bool = true, error:i32 = -1
 *
 *   result of create                      => type 1:  path:ustring
 *   result of create2, TTL and containers => type 15: path:ustring stat
 *   result of setData                     => type 5:  stat
 *   result of delete, check               => type 2, 13: nothing
 *   result of getData, getChildren        => type 4, 8:  as alone
 *   a failed one                          => type -1: error:i32, and the header says the same error
 */

import { type Names, readNames, writeNames } from "./children.ts";
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
  type Data,
  type Described,
  readData,
  readDescribed,
  readSetData,
  readVersionedPath,
  readWatchedPath,
  type SetData,
  type VersionedPath,
  type WatchedPath,
  writeData,
  writeDescribed,
  writeSetData,
  writeVersionedPath,
  writeWatchedPath,
} from "./node.ts";
import { OPERATIONS, operationOf } from "./operation.ts";

export type MultiOperation = Create | SetData | VersionedPath | WatchedPath;

export interface Multi {
  readonly kind: "multi" | "multiRead";
  readonly operations: readonly MultiOperation[];
}

export function writeMulti(writer: JuteWriter, { operations }: Multi): JuteWriter {
  for (const operation of operations) {
    writeHeader(writer, OPERATIONS[operation.kind], -1);
    writeOperation(writer, operation);
  }
  return writeEnd(writer);
}

export function readMulti(kind: Multi["kind"], reader: JuteReader): Multi {
  const operations: MultiOperation[] = [];
  for (let header = readHeader(reader); !header.done && !reader.failed; header = readHeader(reader)) {
    const operation = readOperation(header.type, kind, reader);
    if (operation === null) reader.fail();
    else operations.push(operation);
  }
  return { kind, operations };
}

export type MultiResult =
  | Created
  | CreatedWithStat
  | (Described & { readonly kind: "setData" })
  | { readonly kind: "delete" | "check" }
  | Data
  | (Names & { readonly kind: "getChildren" })
  | { readonly kind: "error"; readonly error: number };

export interface MultiResults {
  readonly kind: "multi" | "multiRead";
  readonly results: readonly MultiResult[];
}

export function writeMultiResults(writer: JuteWriter, { results }: MultiResults): JuteWriter {
  for (const result of results) {
    if (result.kind === "error") writeHeader(writer, -1, result.error).int(result.error);
    else writeResult(writeHeader(writer, OPERATIONS[result.kind], 0), result);
  }
  return writeEnd(writer);
}

export function readMultiResults(kind: MultiResults["kind"], reader: JuteReader): MultiResults {
  const results: MultiResult[] = [];
  for (let header = readHeader(reader); !header.done && !reader.failed; header = readHeader(reader)) {
    const result = readResult(header.type, reader);
    if (result === null) reader.fail();
    else results.push(result);
  }
  return { kind, results };
}

const writeHeader = (writer: JuteWriter, type: number, error: number): JuteWriter =>
  writer.int(type).bool(false).int(error);

const writeEnd = (writer: JuteWriter): JuteWriter => writer.int(-1).bool(true).int(-1);

const readHeader = (reader: JuteReader): { type: number; done: boolean; error: number } => ({
  type: reader.int(),
  done: reader.bool(),
  error: reader.int(),
});

function writeOperation(writer: JuteWriter, operation: MultiOperation): JuteWriter {
  switch (operation.kind) {
    case "setData":
      return writeSetData(writer, operation);
    case "delete":
    case "check":
      return writeVersionedPath(writer, operation);
    case "exists":
    case "getData":
    case "getChildren":
    case "getChildren2":
      return writeWatchedPath(writer, operation);
    default:
      return writeCreate(writer, operation);
  }
}

function readOperation(type: number, within: Multi["kind"], reader: JuteReader): MultiOperation | null {
  const kind = operationOf(type);
  if (within === "multiRead") {
    return kind === "getData" || kind === "getChildren" ? readWatchedPath(kind, reader) : null;
  }
  switch (kind) {
    case "create":
    case "create2":
    case "createContainer":
    case "createTtl":
      return readCreate(kind, reader);
    case "setData":
      return readSetData(reader);
    case "delete":
    case "check":
      return readVersionedPath(kind, reader);
    default:
      return null;
  }
}

function writeResult(writer: JuteWriter, result: Exclude<MultiResult, { kind: "error" }>): JuteWriter {
  switch (result.kind) {
    case "create":
      return writeCreated(writer, result);
    case "create2":
      return writeCreatedWithStat(writer, result);
    case "setData":
      return writeDescribed(writer, result);
    case "getData":
      return writeData(writer, result);
    case "getChildren":
      return writeNames(writer, result);
    default:
      return writer;
  }
}

function readResult(type: number, reader: JuteReader): MultiResult | null {
  if (type === -1) return { kind: "error", error: reader.int() };
  const kind = operationOf(type);
  switch (kind) {
    case "create":
      return readCreated(reader);
    case "create2":
      return readCreatedWithStat(reader);
    case "setData":
      return { kind, stat: readDescribed(kind, reader).stat };
    case "getData":
      return readData(reader);
    case "getChildren":
      return { kind, names: readNames(kind, reader).names };
    case "delete":
    case "check":
      return { kind };
    default:
      return null;
  }
}
