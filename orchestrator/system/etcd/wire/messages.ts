/** The questions and answers of etcd's v3 API that are used here, by the numbers of its `rpc.proto`. */

import { fieldsOf, Message } from "./protobuf.ts";

/** Where a method is served. */
export const METHODS = {
  range: "/etcdserverpb.KV/Range",
  put: "/etcdserverpb.KV/Put",
  deleteRange: "/etcdserverpb.KV/DeleteRange",
  txn: "/etcdserverpb.KV/Txn",
  watch: "/etcdserverpb.Watch/Watch",
  status: "/etcdserverpb.Maintenance/Status",
  moveLeader: "/etcdserverpb.Maintenance/MoveLeader",
  memberList: "/etcdserverpb.Cluster/MemberList",
} as const;

export const utf8 = (text: string): Uint8Array => Buffer.from(text);

/** Every answer begins with it. */
export interface Header {
  /** Of whoever answers. */
  readonly member: bigint;
  /** Of the whole store: every change has one of its own, one after the other. */
  readonly revision: number;
  /** Of the last entry of the log that whoever answers has applied. */
  readonly term: number;
}

const NO_HEADER: Header = { member: 0n, revision: 0, term: 0 };

function headerOf(bytes: Uint8Array): Header {
  let header = NO_HEADER;
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 2) header = { ...header, member: value };
    else if (number === 3) header = { ...header, revision: Number(value) };
    else if (number === 4) header = { ...header, term: Number(value) };
  }
  return header;
}

/** The header of any answer. */
export function readHeader(answer: Uint8Array): Header {
  for (const { number, bytes } of fieldsOf(answer)) if (number === 1) return headerOf(bytes);
  return NO_HEADER;
}

export interface KeyValue {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly createRevision: number;
  readonly modRevision: number;
  /** From 1 when it is created, one more with every change. */
  readonly version: number;
}

function keyValueOf(message: Uint8Array): KeyValue {
  const read = { key: utf8(""), value: utf8(""), createRevision: 0, modRevision: 0, version: 0 };
  for (const { number, value, bytes } of fieldsOf(message)) {
    if (number === 1) read.key = bytes;
    else if (number === 2) read.createRevision = Number(value);
    else if (number === 3) read.modRevision = Number(value);
    else if (number === 4) read.version = Number(value);
    else if (number === 5) read.value = bytes;
  }
  return read;
}

export interface Range {
  readonly key: Uint8Array;
  /** The first key behind the range; nothing for a single key. */
  readonly end?: Uint8Array;
  readonly limit?: number;
  /** Answered by whoever is asked, without asking a quorum. */
  readonly serializable?: boolean;
}

const rangeMessage = ({ key, end = utf8(""), limit = 0, serializable = false }: Range): Message =>
  new Message().bytes(1, key).bytes(2, end).number(3, limit).flag(7, serializable);

export const range = (asked: Range): Buffer => rangeMessage(asked).finish();

export interface Ranged {
  readonly header: Header;
  readonly found: readonly KeyValue[];
  /** There are more than were asked for. */
  readonly more: boolean;
}

export function readRange(answer: Uint8Array): Ranged {
  let [header, more] = [NO_HEADER, false];
  const found: KeyValue[] = [];
  for (const { number, value, bytes } of fieldsOf(answer)) {
    if (number === 1) header = headerOf(bytes);
    else if (number === 2) found.push(keyValueOf(bytes));
    else if (number === 3) more = value !== 0n;
  }
  return { header, found, more };
}

const putMessage = (key: Uint8Array, value: Uint8Array): Message =>
  new Message().bytes(1, key).bytes(2, value);

export const put = (key: Uint8Array, value: Uint8Array): Buffer => putMessage(key, value).finish();

const deleteMessage = (key: Uint8Array): Message => new Message().bytes(1, key);

export const deleteRange = (key: Uint8Array): Buffer => deleteMessage(key).finish();

/** To be told of every change of the key, from the one of that revision on. */
export const watchKey = (key: Uint8Array, fromRevision: number): Buffer =>
  new Message().message(1, new Message().bytes(1, key).number(3, fromRevision)).finish();

export interface Watched {
  /** The watch is set. */
  readonly created: boolean;
  /** How many changes this tells of. */
  readonly events: number;
}

export function readWatched(answer: Uint8Array): Watched {
  const read = { created: false, events: 0 };
  for (const { number, value } of fieldsOf(answer)) {
    if (number === 3) read.created = value !== 0n;
    else if (number === 11) read.events += 1;
  }
  return read;
}

const EMPTY = Buffer.alloc(0);

export const status = (): Buffer => EMPTY;

export interface Status {
  readonly header: Header;
  readonly version: string;
  readonly databaseBytes: number;
  /** 0 where none is known. */
  readonly leader: bigint;
  readonly raftTerm: number;
}

export function readStatus(answer: Uint8Array): Status {
  const read = { header: NO_HEADER, version: "", databaseBytes: 0, leader: 0n, raftTerm: 0 };
  for (const { number, value, bytes } of fieldsOf(answer)) {
    if (number === 1) read.header = headerOf(bytes);
    else if (number === 2) read.version = Buffer.from(bytes).toString();
    else if (number === 3) read.databaseBytes = Number(value);
    else if (number === 4) read.leader = value;
    else if (number === 6) read.raftTerm = Number(value);
  }
  return read;
}

/** Only a leader does it. */
export const moveLeader = (to: bigint): Buffer => new Message().number(1, to).finish();

export const memberList = (): Buffer => EMPTY;

/** Names by id. */
export function readMembers(answer: Uint8Array): ReadonlyMap<bigint, string> {
  const members = new Map<bigint, string>();
  for (const { number, bytes } of fieldsOf(answer)) {
    if (number !== 2) continue;
    let [id, name] = [0n, ""];
    for (const field of fieldsOf(bytes)) {
      if (field.number === 1) id = field.value;
      else if (field.number === 2) name = Buffer.from(field.bytes).toString();
    }
    members.set(id, name);
  }
  return members;
}

const VERSION = 0;
const EQUAL = 0;
const GREATER = 1;

/** What a key's version must be, 0 where there is none. */
export const versionIs = (key: Uint8Array, version: number): Message =>
  new Message().number(1, EQUAL).number(2, VERSION).bytes(3, key).number(4, version);

export const isThere = (key: Uint8Array): Message =>
  new Message().number(1, GREATER).number(2, VERSION).bytes(3, key);

/** Parts of a transaction, as one of several kinds each. */
export const part = {
  range: (asked: Range): Message => new Message().message(1, rangeMessage(asked)),
  put: (key: Uint8Array, value: Uint8Array): Message => new Message().message(2, putMessage(key, value)),
  deleteRange: (key: Uint8Array): Message => new Message().message(3, deleteMessage(key)),
} as const;

export interface Txn {
  readonly when: Message;
  readonly met: readonly Message[];
  readonly otherwise: readonly Message[];
}

export function txn({ when, met, otherwise }: Txn): Buffer {
  const message = new Message().message(1, when);
  for (const each of met) message.message(2, each);
  for (const each of otherwise) message.message(3, each);
  return message.finish();
}

export interface TxnAnswer {
  readonly header: Header;
  /** What it asked for held. */
  readonly succeeded: boolean;
  /** What the last part of it that looked has found. */
  readonly found: readonly KeyValue[];
}

export function readTxn(answer: Uint8Array): TxnAnswer {
  let [header, succeeded] = [NO_HEADER, false];
  let found: readonly KeyValue[] = [];
  for (const { number, value, bytes } of fieldsOf(answer)) {
    if (number === 1) header = headerOf(bytes);
    else if (number === 2) succeeded = value !== 0n;
    else if (number === 3) {
      for (const field of fieldsOf(bytes)) if (field.number === 1) found = readRange(field.bytes).found;
    }
  }
  return { header, succeeded, found };
}
