/**
 * A state from a snapshot's chunks, record by record as they come. Chunks come from this server's own disk or
 * from a peer, both of which check what they carry: bytes that are no snapshot are a bug, and stop the
 * replica.
 */

import { assert } from "../core/assert.ts";
import type { ServerId } from "../core/identity.ts";
import type { Zxid } from "../core/zxid.ts";
import { readAcl } from "../wire/client/acl.ts";
import { JuteReader } from "../wire/client/jute.ts";
import { NO_ROW } from "./nodes.ts";
import { CONFIG, parentOf, ROOT } from "./path.ts";
import { RECORD, SNAPSHOT_VERSION } from "./snapshot.ts";
import { State } from "./state.ts";

export class StateReader {
  readonly #state = new State();
  readonly #zxid: Zxid;
  readonly #config: Uint8Array;
  #rest: Uint8Array = new Uint8Array(0);
  #ended = false;

  constructor(zxid: Zxid, config: Uint8Array) {
    this.#zxid = zxid;
    this.#config = config;
  }

  accept(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? chunk : concatenate(this.#rest, chunk);
    let at = 0;
    for (let size = recordSize(bytes, at); size !== null; size = recordSize(bytes, at)) {
      this.#take(new JuteReader(bytes.subarray(at + 4, at + size)));
      at += size;
    }
    this.#rest = bytes.slice(at);
  }

  /** Once every record has come. */
  finish(): State {
    assert(this.#ended && this.#rest.length === 0, "a snapshot was cut off");
    const { nodes } = this.#state;
    // Rows are not in any order of depth, so children are hung up when all are there.
    for (let row = 0; row < nodes.end; row++) {
      const path = nodes.path(row);
      if (path === ROOT) continue;
      const parent = nodes.find(parentOf(path));
      assert(parent !== NO_ROW, `a snapshot holds ${path}, but not what it is below`);
      nodes.link(row, parent);
    }
    this.#state.derive();
    return this.#state;
  }

  #take(record: JuteReader): void {
    const { sessions, acls } = this.#state;
    const kind = record.byte();
    switch (kind) {
      case RECORD.begin:
        assert(record.int() === SNAPSHOT_VERSION, "a snapshot of another version");
        assert(record.long() === this.#zxid, "a snapshot of another zxid");
        break;
      case RECORD.session:
        sessions.set(record.long(), record.int(), record.int() as ServerId);
        break;
      case RECORD.acl:
        acls.set(record.int(), record.vector(readAcl));
        break;
      case RECORD.znode:
        this.#addNode(record);
        break;
      case RECORD.end:
        this.#ended = true;
        break;
      default:
        assert(false, `a snapshot holds a record of kind ${kind}`);
    }
    assert(!record.failed, `a record of kind ${kind} was cut off`);
  }

  #addNode(record: JuteReader): void {
    const { nodes, acls } = this.#state;
    const path = record.text();
    const data = record.buffer();
    const row = nodes.add({
      path,
      data: path === CONFIG ? this.#config : data,
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
    });
    acls.retake(nodes.acl(row));
  }
}

/** Of the record that begins here, its length included; null when it is not all there yet. */
function recordSize(bytes: Uint8Array, at: number): number | null {
  if (bytes.length - at < 4) return null;
  const size = 4 + new JuteReader(bytes, at).int();
  assert(size > 4, "a snapshot holds an empty record");
  return size <= bytes.length - at ? size : null;
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
