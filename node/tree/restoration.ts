/**
 * A state from a snapshot's chunks, record by record as they come.
 *
 * Chunks come from this server's own disk, or from a peer, so nothing is believed: whatever could not have
 * been written by `snapshot.ts` is told as a fault, in a phrase, and the state that was begun is thrown away.
 * What is read without a fault is a state that serves like any other.
 */

import { MAX_SERVER_ID, type ServerId } from "../core/identity.ts";
import { type TimeOfDay, timeOfDay } from "../core/time.ts";
import type { Zxid } from "../core/zxid.ts";
import { readAcl } from "../wire/client/acl.ts";
import { JuteReader } from "../wire/client/jute.ts";
import { OPEN_ACL } from "./acl-table.ts";
import { type Contents, NO_ROW } from "./nodes.ts";
import { CONFIG, isReserved, isValidPath, parentOf, QUOTA, RESERVED, ROOT } from "./path.ts";
import { LARGEST_RECORD, RECORD, SNAPSHOT_VERSION, TIMELESS_VERSION } from "./snapshot.ts";
import { State } from "./state.ts";

type Fault = string | null;

export class StateReader {
  readonly #state = new State();
  readonly #zxid: Zxid;
  readonly #config: Uint8Array;
  #rest: Uint8Array = new Uint8Array(0);
  /** How many records of each kind there are to be; null before the first record. */
  #announced: Counts | null = null;
  /** Of the last transaction. */
  time = 0 as TimeOfDay;
  /** The own numbers of ACLs by those in the snapshot, which may be any. */
  readonly #acls = new Map<number, number>([[OPEN_ACL, OPEN_ACL]]);
  readonly #read: Counts = { sessions: 0, acls: 0, znodes: 0 };
  #ended = false;

  constructor(zxid: Zxid, config: Uint8Array) {
    this.#zxid = zxid;
    this.#config = config;
  }

  accept(chunk: Uint8Array): Fault {
    const bytes = this.#rest.length === 0 ? chunk : concatenate(this.#rest, chunk);
    let at = 0;
    while (bytes.length - at >= 4) {
      const size = new JuteReader(bytes, at).int();
      if (size < 1 || size > LARGEST_RECORD) return `a record of ${size} bytes`;
      const end = at + 4 + size;
      if (end > bytes.length) break;
      const fault = this.#take(new JuteReader(bytes.subarray(at + 4, end)));
      if (fault !== null) return fault;
      at = end;
    }
    this.#rest = bytes.slice(at);
    return null;
  }

  /** Once every record has come: the state, or what is wrong with the whole. */
  finish(): State | string {
    if (!this.#ended || this.#rest.length > 0) return "it was cut off";
    for (const kind of ["sessions", "acls", "znodes"] as const) {
      const [read, announced] = [this.#read[kind], this.#announced?.[kind]];
      if (read !== announced) return `${read} ${kind}, where ${announced} were announced`;
    }
    return this.#hangUp() ?? this.#state;
  }

  /** Rows are not in any order of depth, so children are hung up when all are there. */
  #hangUp(): Fault {
    const { nodes } = this.#state;
    for (const path of [ROOT, RESERVED, QUOTA, CONFIG]) {
      if (nodes.find(path) === NO_ROW) return `no ${path}`;
    }
    for (let row = 0; row < nodes.end; row++) {
      const path = nodes.path(row);
      if (path === ROOT) continue;
      const parent = nodes.find(parentOf(path));
      if (parent === NO_ROW) return `${path}, but not what it is below`;
      if (nodes.owner(parent) > 0) return `${path} below an ephemeral znode`;
      nodes.link(row, parent);
    }
    this.#state.derive();
    return null;
  }

  #take(record: JuteReader): Fault {
    const kind = record.byte();
    if ((kind === RECORD.begin) !== (this.#announced === null)) return "a beginning where none belongs";
    if (this.#ended) return "something after the end";
    const fault = this.#takeKind(kind, record);
    return fault ?? (record.failed || record.left > 0 ? `a record of kind ${kind} of a wrong length` : null);
  }

  #takeKind(kind: number, record: JuteReader): Fault {
    switch (kind) {
      case RECORD.begin:
        return this.#begin(record);
      case RECORD.session:
        return this.#addSession(record);
      case RECORD.acl:
        return this.#addAcl(record);
      case RECORD.znode:
        return this.#addNode(record);
      case RECORD.end:
        this.#ended = true;
        return null;
      default:
        return `a record of kind ${kind}`;
    }
  }

  #begin(record: JuteReader): Fault {
    const version = record.int();
    if (version !== SNAPSHOT_VERSION && version !== TIMELESS_VERSION) return "another version";
    if (record.long() !== this.#zxid) return "another zxid";
    this.#announced = { sessions: record.int(), acls: record.int(), znodes: record.int() };
    if (version === TIMELESS_VERSION) return null;
    const time = record.long();
    if (!Number.isSafeInteger(time) || time < 0) return "a time of day that cannot be";
    this.time = timeOfDay(time);
    return null;
  }

  #addSession(record: JuteReader): Fault {
    const { sessions } = this.#state;
    const [id, timeoutMs, seal, server] = [record.long(), record.int(), record.text(), record.int()];
    const isAt = server >= 1 && server <= MAX_SERVER_ID;
    const isOne = Number.isSafeInteger(id) && id > 0 && timeoutMs > 0 && seal !== "" && isAt;
    if (!isOne || sessions.get(id) !== undefined) return `a session ${id} of ${timeoutMs} ms at ${server}`;
    sessions.set(id, timeoutMs, seal, server as ServerId);
    this.#read.sessions += 1;
    return null;
  }

  #addAcl(record: JuteReader): Fault {
    const { acls } = this.#state;
    const [number, acl] = [record.int(), record.vector(readAcl)];
    this.#read.acls += 1;
    // The open one is always there, and is what it is whatever anybody says.
    if (number === OPEN_ACL) return null;
    if (number < 0 || this.#acls.has(number)) return `an ACL of number ${number}`;
    this.#acls.set(number, acls.add(acl));
    return null;
  }

  #addNode(record: JuteReader): Fault {
    const { nodes, acls, sessions } = this.#state;
    const told = readContents(record, this.#config);
    const acl = this.#acls.get(told.acl);
    const contents = { ...told, acl: acl ?? OPEN_ACL };
    const { path, owner } = contents;
    const numbers = [owner, contents.czxid, contents.mzxid, contents.pzxid, contents.ctime, contents.mtime];
    if (record.failed || !numbers.every(Number.isSafeInteger)) return "a znode with numbers that cannot be";
    if (!isValidPath(path) || nodes.find(path) !== NO_ROW) return `a znode at ${JSON.stringify(path)}`;
    if (acl === undefined) return `${path} with an ACL of number ${told.acl}`;
    const mayGo = !isReserved(path) && (owner < 0 || sessions.get(owner) !== undefined);
    if (owner !== 0 && !mayGo) return `${path} of an owner ${owner}`;
    nodes.add(contents);
    acls.retake(acl);
    this.#read.znodes += 1;
    return null;
  }
}

interface Counts {
  sessions: number;
  acls: number;
  znodes: number;
}

function readContents(record: JuteReader, config: Uint8Array): Contents {
  const path = record.text();
  const data = record.buffer();
  return {
    path,
    data: path === CONFIG ? config : data,
    acl: record.int(),
    owner: record.long(),
    czxid: record.long(),
    mzxid: record.long(),
    pzxid: record.long(),
    ctime: record.long(),
    mtime: record.long(),
    version: record.int(),
    creations: record.int(),
    aversion: record.int(),
  };
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
