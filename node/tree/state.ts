/**
 * All that is replicated, and the changes that a transaction may make to it once it is known to be allowed.
 *
 * The parts (znodes, ACLs, sessions, quotas, znodes that go by themselves) are kept in step here, and what
 * clients may have asked to be told of is noted: a list of happenings, which becomes events only when the
 * whole transaction stands.
 */

import type { TimeOfDay } from "../core/time.ts";
import type { Zxid } from "../core/zxid.ts";
import { type Acl, PERMISSION } from "../wire/client/acl.ts";
import { AclTable, OPEN_ACL } from "./acl-table.ts";
import { Undo } from "./undo.ts";
import { CONTAINER, Nodes, type Owner, type Row } from "./nodes.ts";
import { CONFIG, parentOf, QUOTA, RESERVED, ROOT } from "./path.ts";
import { Perishables, perishesAt } from "./perishables.ts";
import { Quotas } from "./quota.ts";
import { Sessions } from "./sessions.ts";

/** When a transaction happens: all the time that there is in here. */
export interface Moment {
  readonly zxid: Zxid;
  readonly time: TimeOfDay;
}

export interface Happening {
  readonly kind: "created" | "deleted" | "dataChanged";
  readonly path: string;
  readonly acl: readonly Acl[];
  /** Of the parent, which has a new list of children. */
  readonly parentAcl: readonly Acl[];
}

export class State {
  readonly undo = new Undo();
  readonly acls = new AclTable(this.undo);
  readonly nodes = new Nodes(this.undo, this.acls.hash);
  readonly sessions = new Sessions(this.undo);
  readonly quotas = new Quotas(this.nodes, this.undo);
  /** Containers and znodes with a time to live, when they may have to go. */
  readonly perishables = new Perishables();
  #happenings: Happening[] = [];

  /** What is there before the first transaction. */
  static initial(config: Uint8Array): State {
    const state = new State();
    state.#plant(ROOT, NOTHING, OPEN_ACL, 0);
    state.#plant(RESERVED, NOTHING, OPEN_ACL, 0);
    state.#plant(QUOTA, NOTHING, OPEN_ACL, 0);
    // ZooKeeper sets this ACL with version -1 and no increment, and shows it so.
    state.#plant(CONFIG, config, state.acls.take(READABLE), -1);
    return state;
  }

  create(
    path: string,
    parent: Row,
    data: Uint8Array | null,
    acl: readonly Acl[],
    owner: Owner,
    now: Moment,
  ): Row {
    const { zxid, time } = now;
    const row = this.nodes.add({
      path,
      data,
      acl: this.acls.take(acl),
      owner,
      czxid: zxid,
      mzxid: zxid,
      pzxid: zxid,
      ctime: time,
      mtime: time,
      version: 0,
      creations: 0,
      aversion: 0,
    });
    this.nodes.link(row, parent);
    this.nodes.listChanged(parent, zxid, true);
    this.#own(path, owner);
    this.notePerishable(row);
    this.quotas.created(path, data?.length ?? 0);
    this.#happen("created", row, parent);
    return row;
  }

  remove(row: Row, now: Moment): void {
    const path = this.nodes.path(row);
    const owner = this.nodes.owner(row);
    const bytes = this.nodes.data(row)?.length ?? 0;
    const parent = this.nodes.find(parentOf(path));
    this.#happen("deleted", row, parent);
    this.acls.drop(this.nodes.acl(row));
    this.nodes.remove(row, parent);
    this.nodes.listChanged(parent, now.zxid, false);
    this.#disown(path, owner);
    this.notePerishable(parent);
    // Taken back, its time is perhaps sooner again.
    if (this.nodes.owner(parent) <= CONTAINER) this.undo.note(() => this.perishables.note(parentOf(path), 0));
    this.quotas.removed(path, bytes);
  }

  setData(row: Row, data: Uint8Array | null, now: Moment): void {
    const path = this.nodes.path(row);
    const growth = (data?.length ?? 0) - (this.nodes.data(row)?.length ?? 0);
    this.nodes.dataChanged(row, nextVersion(this.nodes.version(row)), now.zxid, now.time);
    this.nodes.setData(row, data);
    if (growth !== 0) this.quotas.count(path, 0, growth);
    this.#happen("dataChanged", row, row);
  }

  setAcl(row: Row, acl: readonly Acl[]): void {
    const old = this.nodes.acl(row);
    this.nodes.setAcl(row, this.acls.take(acl), nextVersion(this.nodes.aversion(row)));
    this.acls.drop(old);
  }

  endSession(id: number, now: Moment): void {
    for (const path of this.sessions.get(id)?.ephemerals ?? []) this.remove(this.nodes.find(path), now);
    this.sessions.delete(id);
  }

  /** It is new, or has one child less, or its time is not yet. */
  notePerishable(row: Row): void {
    const due = perishesAt(this.nodes, row);
    if (due !== null) this.perishables.note(this.nodes.path(row), due);
  }

  aclOf(row: Row): readonly Acl[] {
    return this.acls.get(this.nodes.acl(row));
  }

  takeHappenings(): readonly Happening[] {
    const taken = this.#happenings;
    if (taken.length > 0) this.#happenings = [];
    return taken;
  }

  /** They were taken back. */
  forgetHappenings(): void {
    this.#happenings = [];
  }

  /** After a restore: what follows from the znodes. */
  derive(): void {
    this.quotas.find();
    for (let row = 0; row < this.nodes.end; row++) {
      if (this.nodes.isVacant(row)) continue;
      this.#own(this.nodes.path(row), this.nodes.owner(row));
      this.notePerishable(row);
    }
  }

  #own(path: string, owner: Owner): void {
    if (owner > 0) this.sessions.addEphemeral(owner, path);
  }

  #disown(path: string, owner: Owner): void {
    if (owner > 0) this.sessions.removeEphemeral(owner, path);
    else if (owner <= CONTAINER) {
      this.perishables.forget(path);
      this.undo.note(() => this.perishables.note(path, 0));
    }
  }

  #happen(kind: Happening["kind"], row: Row, parent: Row): void {
    const [acl, parentAcl] = [this.aclOf(row), this.aclOf(parent)];
    this.#happenings.push({ kind, path: this.nodes.path(row), acl, parentAcl });
  }

  #plant(path: string, data: Uint8Array, acl: number, aversion: number): void {
    const never = { czxid: 0, mzxid: 0, pzxid: 0, ctime: 0, mtime: 0, version: 0, creations: 0 };
    const row = this.nodes.add({ path, data, acl, owner: 0, aversion, ...never });
    if (path !== ROOT) this.nodes.link(row, this.nodes.find(parentOf(path)));
  }
}

/** -1 means any version to those who ask, so no znode ever has it. */
function nextVersion(version: number): number {
  const next = (version + 1) | 0;
  return next === -1 ? 0 : next;
}

const READABLE: readonly Acl[] = [{ permissions: PERMISSION.read, id: { scheme: "world", id: "anyone" } }];
const NOTHING = new Uint8Array(0);
