/**
 * The state after one zxid, as bytes, read while the state goes on changing.
 *
 * Rows are written in the order of their numbers. A row that is about to change, and has not been written
 * yet, is put aside as it was; so is the fact that a row was vacant. Sessions and ACLs never change: it is
 * enough to note at once which there are.
 *
 *   snapshot => record*      record => length:i32 kind:u8 body      chunks cut it anywhere, at 64 KiB
 *
 * The length is at most `LARGEST_RECORD`, to whoever writes and to whoever reads.
 *
 *   1 begin   => version:i32 zxid:i64 sessions:i32 acls:i32 znodes:i32 time:i64      no time before version 3
 *   2 session => id:i64 timeout:i32 seal:ustring server:i32
 *   3 acl     => number:i32 acl:vector
 *   4 znode   => path:ustring data:buffer acl:i32 owner:i64 czxid:i64 mzxid:i64 pzxid:i64 ctime:i64 mtime:i64
 *                version:i32 creations:i32 aversion:i32
 *   5 end     => nothing
 */

import { assert } from "../core/assert.ts";
import type { Snapshot } from "../core/machine.ts";
import type { TimeOfDay } from "../core/time.ts";
import type { Zxid } from "../core/zxid.ts";
import { type Acl, writeAcl } from "../wire/client/acl.ts";
import { JuteWriter } from "../wire/client/jute.ts";
import type { Contents, Observer, Row } from "./nodes.ts";
import { CONFIG } from "./path.ts";
import type { Session } from "./sessions.ts";
import type { State } from "./state.ts";

export const SNAPSHOT_VERSION = 3;
/** The oldest that is still read. */
export const TIMELESS_VERSION = 2;
export const RECORD = { begin: 1, session: 2, acl: 3, znode: 4, end: 5 } as const;

/**
 * Far above what can be in one: path and data of a znode came in one request of a client, ACLs are bounded
 * (`access.ts`).
 */
export const LARGEST_RECORD = 16 * 1024 * 1024;

export class StateSnapshot implements Snapshot, Observer {
  readonly zxid: Zxid;
  readonly #state: State;
  /** Rows from here on came later. */
  readonly #end: Row;
  #next: Row = 0;
  /** As they were; null for a vacant one. */
  readonly #aside = new Map<Row, Uint8Array | null>();
  /** The records before those of znodes. */
  readonly #preamble: Iterator<Record>;
  #buffer = new JuteWriter(1024);
  #ready: Uint8Array = NOTHING;
  #ended = false;

  constructor(state: State, zxid: Zxid, time: TimeOfDay) {
    this.zxid = zxid;
    this.#state = state;
    this.#end = state.nodes.end;
    this.#preamble = preamble(zxid, time, state.nodes.size, [...state.sessions.all()], state.acls.all());
    state.nodes.observers.add(this);
  }

  changing(row: Row): void {
    if (row < this.#next || row >= this.#end || this.#aside.has(row)) return;
    this.#aside.set(row, this.#record(row));
  }

  next(): Uint8Array | null {
    while (this.#ready.length + this.#buffer.length < CHUNK_BYTES && !this.#ended) this.#writeNext();
    if (this.#buffer.length > 0) {
      this.#ready = concatenate(this.#ready, this.#buffer.finish());
      this.#buffer = new JuteWriter(CHUNK_BYTES + 1024);
    }
    if (this.#ready.length === 0) return null;
    const chunk = this.#ready.slice(0, CHUNK_BYTES);
    this.#ready = this.#ready.subarray(chunk.length);
    return chunk;
  }

  close(): void {
    this.#state.nodes.observers.delete(this);
    this.#aside.clear();
  }

  #writeNext(): void {
    const first = this.#preamble.next();
    if (first.done !== true) {
      writeRecord(this.#buffer, first.value.kind, first.value.body);
      return;
    }
    const row = this.#next;
    if (row >= this.#end) {
      writeRecord(this.#buffer, RECORD.end, NOTHING);
      this.#ended = true;
      this.close();
      return;
    }
    const aside = this.#aside.get(row);
    const record = aside === undefined ? this.#record(row) : aside;
    this.#aside.delete(row);
    this.#next = row + 1;
    if (record !== null) this.#buffer.raw(record);
  }

  #record(row: Row): Uint8Array | null {
    const { nodes } = this.#state;
    return nodes.isVacant(row) ? null : znodeRecord(nodes.contents(row));
  }
}

interface Record {
  readonly kind: number;
  readonly body: Uint8Array;
}

function* preamble(
  zxid: Zxid,
  time: TimeOfDay,
  znodes: number,
  sessions: readonly Session[],
  acls: readonly (readonly [number, readonly Acl[]])[],
): Generator<Record> {
  const begin = new JuteWriter().int(SNAPSHOT_VERSION).long(zxid);
  begin.int(sessions.length).int(acls.length).int(znodes).long(time);
  yield { kind: RECORD.begin, body: begin.finish() };
  for (const { id, timeoutMs, seal, server } of sessions) {
    const session = new JuteWriter(64).long(id).int(timeoutMs).ustring(seal).int(server);
    yield { kind: RECORD.session, body: session.finish() };
  }
  for (const [number, acl] of acls) {
    yield { kind: RECORD.acl, body: new JuteWriter().int(number).vector(acl, writeAcl).finish() };
  }
}

function znodeRecord(contents: Contents): Uint8Array {
  const { path, acl, owner, czxid, mzxid, pzxid, ctime, mtime, version, creations, aversion } = contents;
  // What is in the config is each server's own.
  const data = path === CONFIG ? NOTHING : contents.data;
  const body = new JuteWriter(80 + path.length + (data?.length ?? 0)).ustring(path).buffer(data).int(acl);
  body.long(owner).long(czxid).long(mzxid).long(pzxid).long(ctime).long(mtime);
  const bytes = body.int(version).int(creations).int(aversion).finish();
  return writeRecord(new JuteWriter(5 + bytes.length), RECORD.znode, bytes).finish();
}

function writeRecord(writer: JuteWriter, kind: number, body: Uint8Array): JuteWriter {
  const length = 1 + body.length;
  assert(length <= LARGEST_RECORD, () => `a record of ${length} bytes, which nobody would read`);
  return writer.int(length).byte(kind).raw(body);
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

const CHUNK_BYTES = 64 * 1024;
const NOTHING = new Uint8Array(0);
