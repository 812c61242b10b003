/**
 * The znodes, as rows of a table.
 *
 * A million objects with eleven numbers each, their data and their children in maps of their own would take
 * close to a gigabyte, and the collector would walk all of it. So a znode is a row number; what is known of
 * it stands in two typed arrays (doubles: zxids, times, the owner; ints: versions, links), its data in
 * `DataStore`, and children hang together by links, with their totals beside: about 340 bytes a znode of 100
 * bytes of data, path and map entry included.
 *
 * Whoever changes the contents of a row says so first, once: open snapshots put the old contents aside, an
 * open journal writes down the way back, and the digest remembers to look at the row again.
 */

import { assert } from "../core/assert.ts";
import type { TimeOfDay } from "../core/time.ts";
import type { Zxid } from "../core/zxid.ts";
import type { Stat } from "../wire/client/stat.ts";
import { DataStore } from "./data-store.ts";
import { type Hash, TableDigest } from "./hash.ts";
import type { Undo } from "./undo.ts";
import { CONFIG, ROOT } from "./path.ts";
import { type Total, Totals } from "./totals.ts";

export type Row = number;
export const NO_ROW: Row = -1;

/**
 * Who keeps a znode alive: 0 nobody, a session's id, -1 its children (container), below that its time to
 * live.
 */
export type Owner = number;
export const CONTAINER: Owner = -1;
export const timeToLive = (owner: Owner): number => -1 - owner;
export const ownerOfTimeToLive = (ms: number): Owner => -1 - ms;

/** What a znode is made of, apart from its place in the tree. */
export interface Contents {
  readonly path: string;
  readonly data: Uint8Array | null;
  readonly acl: number;
  readonly owner: Owner;
  readonly czxid: number;
  readonly mzxid: number;
  readonly pzxid: number;
  readonly ctime: number;
  readonly mtime: number;
  readonly version: number;
  /** How many children were ever created here. */
  readonly creations: number;
  readonly aversion: number;
}

/** One that wants to know the contents of rows as they were. */
export interface Observer {
  changing(row: Row): void;
}

export class Nodes {
  readonly #undo: Undo;
  readonly #data = new DataStore();
  readonly #rows = new Map<string, Row>();
  readonly #paths: (string | null)[] = [];
  readonly #free: Row[] = [];
  #doubles = new Float64Array(DOUBLES * 16);
  #ints = new Int32Array(INTS * 16);
  readonly observers = new Set<Observer>();
  /** Bytes of all paths and all data, as `mntr` tells them. */
  #bytes = 0;
  readonly #digest: TableDigest;
  readonly #totals: Totals;

  /**
   * Rows carry ACLs as numbers that mean something on this server only; `hashAcl` hashes what they stand for.
   */
  constructor(undo: Undo, hashAcl: (acl: number, hash: Hash) => void) {
    this.#undo = undo;
    this.#totals = new Totals(undo);
    this.#digest = new TableDigest((row, hash) => {
      if (this.isVacant(row)) return false;
      this.#hash(row, hash);
      hashAcl(this.acl(row), hash);
      return true;
    });
  }

  get size(): number {
    return this.#rows.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Rows are numbered below this; some of them may be vacant. */
  get end(): Row {
    return this.#paths.length;
  }

  isVacant(row: Row): boolean {
    return this.#paths[row] === null;
  }

  /** ZooKeeper knows its root by the empty path, too. */
  find(path: string): Row {
    return this.#rows.get(path === "" ? ROOT : path) ?? NO_ROW;
  }

  path(row: Row): string {
    return this.#paths[row] as string;
  }

  /** A view, good until the next change; beyond `LARGEST_SLOT` for ever. */
  data(row: Row): Uint8Array | null {
    const length = this.#int(row, LENGTH);
    return length < 0 ? null : this.#data.get(this.#int(row, HANDLE), length);
  }

  acl(row: Row): number {
    return this.#int(row, ACL);
  }

  owner(row: Row): Owner {
    return this.#double(row, OWNER);
  }

  version(row: Row): number {
    return this.#int(row, VERSION);
  }

  aversion(row: Row): number {
    return this.#int(row, AVERSION);
  }

  creations(row: Row): number {
    return this.#int(row, CREATIONS);
  }

  mtime(row: Row): number {
    return this.#double(row, MTIME);
  }

  mzxid(row: Row): number {
    return this.#double(row, MZXID);
  }

  pzxid(row: Row): number {
    return this.#double(row, PZXID);
  }

  childCount(row: Row): number {
    return this.#int(row, CHILDREN);
  }

  *children(row: Row): Generator<Row> {
    for (let child = this.#int(row, FIRST); child !== NO_ROW; child = this.#int(child, NEXT)) yield child;
  }

  /** At and below the row; the bytes of the configuration, which is each server's own, do not count. */
  total(row: Row): Total {
    return this.#totals.of(row);
  }

  /** The row itself and everything below it, however deep. */
  *subtree(row: Row): Generator<Row> {
    const waiting = [row];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      yield next;
      for (const child of this.children(next)) waiting.push(child);
    }
  }

  /** As clients see it: containers and TTL nodes seem to have no owner; `cversion` counts deletions, too. */
  stat(row: Row): Stat {
    const owner = this.owner(row);
    return {
      czxid: this.#double(row, CZXID),
      mzxid: this.mzxid(row),
      ctime: this.#double(row, CTIME),
      mtime: this.mtime(row),
      version: this.version(row),
      cversion: (2 * this.creations(row) - this.childCount(row)) | 0,
      aversion: this.aversion(row),
      ephemeralOwner: owner > 0 ? owner : 0,
      dataLength: Math.max(0, this.#int(row, LENGTH)),
      numChildren: this.childCount(row),
      pzxid: this.pzxid(row),
    };
  }

  contents(row: Row): Contents {
    return {
      path: this.path(row),
      data: this.data(row),
      acl: this.acl(row),
      owner: this.owner(row),
      czxid: this.#double(row, CZXID),
      mzxid: this.mzxid(row),
      pzxid: this.pzxid(row),
      ctime: this.#double(row, CTIME),
      mtime: this.mtime(row),
      version: this.version(row),
      creations: this.creations(row),
      aversion: this.aversion(row),
    };
  }

  /** A row of its own for these contents, not yet below any other. */
  add(contents: Contents): Row {
    assert(!this.#rows.has(contents.path), () => `a znode twice: ${contents.path}`);
    const row = this.#free.pop() ?? this.#extend();
    this.#changing(row, false);
    this.#paths[row] = contents.path;
    this.#rows.set(contents.path, row);
    this.#totals.begin(row);
    this.#fill(row, contents);
    this.#bytes += contents.path.length;
    this.#undo.note(() => this.#vacate(row));
    return row;
  }

  /** Becomes the last child. */
  link(row: Row, parent: Row): void {
    this.#totals.link(row, parent);
    const first = this.#int(parent, FIRST);
    const last = first === NO_ROW ? NO_ROW : this.#int(first, PREVIOUS);
    this.#note(parent);
    this.#ints[parent * INTS + CHILDREN] = this.childCount(parent) + 1;
    this.#ints[row * INTS + NEXT] = NO_ROW;
    if (first === NO_ROW) {
      this.#ints[parent * INTS + FIRST] = row;
      this.#ints[row * INTS + PREVIOUS] = row;
      return;
    }
    this.#note(first);
    this.#note(last);
    this.#ints[last * INTS + NEXT] = row;
    this.#ints[row * INTS + PREVIOUS] = last;
    this.#ints[first * INTS + PREVIOUS] = row;
  }

  /** The parent's list of children changed in this transaction. */
  listChanged(row: Row, zxid: Zxid, created: boolean): void {
    this.#changing(row, false);
    this.#doubles[row * DOUBLES + PZXID] = zxid;
    if (created) this.#ints[row * INTS + CREATIONS] = (this.creations(row) + 1) | 0;
  }

  setData(row: Row, data: Uint8Array | null): void {
    this.#changing(row, true);
    this.#dropData(row);
    this.#putData(row, data);
  }

  dataChanged(row: Row, version: number, zxid: Zxid, time: TimeOfDay): void {
    this.#changing(row, false);
    this.#ints[row * INTS + VERSION] = version;
    this.#doubles[row * DOUBLES + MZXID] = zxid;
    this.#doubles[row * DOUBLES + MTIME] = time;
  }

  setAcl(row: Row, acl: number, aversion: number): void {
    this.#changing(row, false);
    this.#ints[row * INTS + ACL] = acl;
    this.#ints[row * INTS + AVERSION] = aversion;
  }

  /** Of a row without children. */
  remove(row: Row, parent: Row): void {
    assert(this.childCount(row) === 0, () => `${this.path(row)} has children`);
    this.#changing(row, true);
    this.#unlink(row, parent);
    const path = this.path(row);
    this.#vacate(row);
    this.#totals.unlink(row);
    this.#undo.note(() => {
      assert(this.#free.pop() === row, "rows are not taken back in order");
      this.#paths[row] = path;
      this.#rows.set(path, row);
      this.#bytes += path.length;
      this.#ints[row * INTS + LENGTH] = -1;
    });
  }

  digest(): string {
    return this.#digest.take();
  }

  #unlink(row: Row, parent: Row): void {
    const first = this.#int(parent, FIRST);
    const next = this.#int(row, NEXT);
    const previous = this.#int(row, PREVIOUS);
    this.#note(parent);
    this.#ints[parent * INTS + CHILDREN] = this.childCount(parent) - 1;
    if (row === first) this.#ints[parent * INTS + FIRST] = next;
    else {
      this.#note(previous);
      this.#ints[previous * INTS + NEXT] = next;
    }
    // The first one's `previous` is the last one: appending need not walk the list.
    const follower = next !== NO_ROW ? next : row === first ? NO_ROW : first;
    if (follower === NO_ROW) return;
    this.#note(follower);
    this.#ints[follower * INTS + PREVIOUS] = previous;
  }

  #vacate(row: Row): void {
    const path = this.path(row);
    this.#dropData(row);
    this.#rows.delete(path);
    this.#paths[row] = null;
    this.#bytes -= path.length;
    this.#free.push(row);
  }

  #fill(row: Row, contents: Contents): void {
    const { czxid, mzxid, pzxid, ctime, mtime, owner, version, creations, aversion, acl } = contents;
    this.#doubles.set([czxid, mzxid, pzxid, ctime, mtime, owner], row * DOUBLES);
    this.#ints.set([version, creations, aversion, acl, 0, NO_ROW, NO_ROW, NO_ROW, -1, 0], row * INTS);
    this.#putData(row, contents.data);
  }

  #putData(row: Row, data: Uint8Array | null): void {
    this.#ints[row * INTS + LENGTH] = data === null ? -1 : data.length;
    this.#ints[row * INTS + HANDLE] = data === null ? 0 : this.#data.put(data);
    this.#grow(row, data?.length ?? 0);
  }

  #dropData(row: Row): void {
    const length = this.#int(row, LENGTH);
    if (length < 0) return;
    this.#data.free(this.#int(row, HANDLE), length);
    this.#grow(row, -length);
    this.#ints[row * INTS + LENGTH] = -1;
  }

  #grow(row: Row, bytes: number): void {
    this.#bytes += bytes;
    if (this.path(row) !== CONFIG) this.#totals.grow(row, bytes);
  }

  /** What comes next changes the contents of the row, with or without its data. */
  #changing(row: Row, withData: boolean): void {
    for (const observer of this.observers) observer.changing(row);
    this.#digest.changing(row);
    if (!this.isVacant(row)) this.#note(row, withData);
  }

  #note(row: Row, withData = false): void {
    if (!this.#undo.isOpen) return;
    const doubles = this.#doubles.slice(row * DOUBLES, (row + 1) * DOUBLES);
    const ints = this.#ints.slice(row * INTS, (row + 1) * INTS);
    const data = withData ? (this.data(row)?.slice() ?? null) : null;
    this.#undo.note(() => {
      if (withData) this.#dropData(row);
      this.#doubles.set(doubles, row * DOUBLES);
      this.#ints.set(ints, row * INTS);
      if (withData) this.#putData(row, data);
    });
  }

  #extend(): Row {
    const row = this.#paths.push(null) - 1;
    if ((row + 1) * INTS > this.#ints.length) {
      const [doubles, ints] = [this.#doubles, this.#ints];
      this.#doubles = new Float64Array(doubles.length * 2);
      this.#ints = new Int32Array(ints.length * 2);
      this.#doubles.set(doubles);
      this.#ints.set(ints);
    }
    return row;
  }

  #hash(row: Row, hash: Hash): void {
    const path = this.path(row);
    hash.text(path);
    for (let column = 0; column < DOUBLES; column++) hash.number(this.#double(row, column));
    hash.int(this.version(row)).int(this.creations(row)).int(this.aversion(row));
    if (path !== CONFIG) hash.bytes(this.data(row));
  }

  #double(row: Row, column: number): number {
    return this.#doubles[row * DOUBLES + column] as number;
  }

  #int(row: Row, column: number): number {
    return this.#ints[row * INTS + column] as number;
  }
}

const [CZXID, MZXID, PZXID, CTIME, MTIME, OWNER, DOUBLES] = [0, 1, 2, 3, 4, 5, 6];
const [VERSION, CREATIONS, AVERSION, ACL, CHILDREN, FIRST, NEXT, PREVIOUS, LENGTH, HANDLE, INTS] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
];
