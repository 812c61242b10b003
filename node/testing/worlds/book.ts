/**
 * The one history of a world, and what it says: which request each transaction carries, and how the znodes of
 * its clients stood after each.
 */

import type { ServerId } from "../../core/identity.ts";
import type { Restoration } from "../../core/machine.ts";
import type { Mutant } from "../../core/mutant.ts";
import { type Instant, instant } from "../../core/time.ts";
import type { Transaction } from "../../core/transaction.ts";
import { printZxid, type Zxid, ZERO } from "../../core/zxid.ts";
import { Disks } from "../../host/virtual/swarm/disks.ts";
import { Sequence, Violation } from "../../host/virtual/swarm/sequence.ts";
import { NO_ROW } from "../../tree/nodes.ts";
import { readPayload } from "../../tree/payload.ts";
import { Tree } from "../../tree/tree.ts";
import { ERRORS } from "../../wire/client/error.ts";
import { JuteReader } from "../../wire/client/jute.ts";
import type { Operation } from "../../wire/client/operation.ts";

/** A write as the history has it. */
export interface Written {
  readonly operation: Operation;
  readonly session: number;
  readonly xid: number;
}

/** How a znode stands from this zxid on; null: there is none. */
export interface Version {
  readonly zxid: Zxid;
  readonly mzxid: number | null;
  readonly version: number;
}

export class Book {
  readonly sequence = new Sequence();
  readonly disks: Disks;
  readonly #paths: readonly string[];
  readonly #versions: ReadonlyMap<string, Version[]>;
  readonly #written = new Map<Zxid, Written>();
  /** When each session was begun or taken elsewhere last. */
  readonly #opened = new Map<number, Zxid>();
  /** When the server that had asked for it executed each. */
  readonly #executed = new Map<Zxid, Instant>();
  /** The newest write that anybody was told of. */
  acknowledged: Zxid = ZERO;
  /** Of the newest transaction. */
  time = 0;

  now: () => Instant = () => instant(0);

  constructor(servers: readonly ServerId[], paths: readonly string[]) {
    this.disks = new Disks(servers);
    this.#paths = paths;
    this.#versions = new Map(paths.map((path) => [path, []]));
  }

  /** The tree of one life of a server. */
  tree(server: ServerId, config = "", mutant: Mutant | null = null): Tree {
    this.sequence.restored(server, ZERO, "");
    return new WatchedTree(this, server, config, mutant);
  }

  delivered(server: ServerId, tree: Tree, transaction: Transaction, result: Uint8Array): void {
    const { length } = this.sequence;
    if (transaction.ticket.origin === server) this.#executed.set(transaction.zxid, this.now());
    this.sequence.delivered(server, transaction, result, tree.digest());
    if (this.sequence.length === length) return;
    this.disks.demandQuorum(transaction.zxid, `p${server} delivered`);
    this.#demandTime(transaction);
    this.#note(transaction, tree, result);
  }

  writtenAt(zxid: Zxid): Written | undefined {
    return this.#written.get(zxid);
  }

  openedAt(session: number): Zxid {
    return this.#opened.get(session) ?? ZERO;
  }

  /** When the server that had asked for it executed this transaction. */
  executedAt(zxid: Zxid): Instant | undefined {
    return this.#executed.get(zxid);
  }

  /** How a znode of the clients stood after this transaction. */
  versionAt(path: string, zxid: Zxid): Version {
    return this.#versions.get(path)?.findLast((version) => version.zxid <= zxid) ?? ABSENT;
  }

  /** Whether it changed after the one and up to the other. */
  changedBetween(path: string, after: Zxid, upTo: Zxid): boolean {
    return this.versionAt(path, upTo).zxid > after;
  }

  #demandTime({ zxid, time }: Transaction): void {
    if (time < this.time)
      throw new Violation(`${printZxid(zxid)} is of ${this.time - time} ms before the one that it follows`);
    this.time = time;
  }

  /** Only the server where its client is writes for a session. */
  #demandOrigin({ zxid, ticket }: Transaction, tree: Tree, session: number, result: Uint8Array): void {
    const { server = ticket.origin } = tree.state.sessions.get(session) ?? {};
    if (server === ticket.origin || new JuteReader(result).int() !== ERRORS.ok) return;
    throw new Violation(
      `${printZxid(zxid)} was done for session ${session} by p${ticket.origin}, which is at p${server}`,
    );
  }

  #note(transaction: Transaction, tree: Tree, result: Uint8Array): void {
    const { zxid, payload } = transaction;
    const read = readPayload(payload);
    if (read === null) return;
    if (payload.length > MOST_PAYLOAD)
      throw new Violation(`the transaction ${printZxid(zxid)} has a payload of ${payload.length} bytes`);
    const { operation, caller } = read;
    this.#written.set(zxid, { operation, session: caller.session, xid: caller.xid });
    if (operation !== "closeSession" && caller.session !== 0)
      this.#demandOrigin(transaction, tree, caller.session, result);
    if (operation === "createSession") this.#opened.set(caller.session || zxid, zxid);
    const { nodes } = tree.state;
    for (const path of this.#paths) {
      const row = nodes.find(path);
      const before = this.versionAt(path, zxid);
      const mzxid = row === NO_ROW ? null : nodes.mzxid(row);
      if (mzxid === before.mzxid) continue;
      this.#versions.get(path)?.push({ zxid, mzxid, version: row === NO_ROW ? -1 : nodes.version(row) });
    }
  }
}

/** The largest frame of a client, and who it is. */
const MOST_PAYLOAD = (1 << 20) + (64 << 10);
const ABSENT: Version = { zxid: ZERO, mzxid: null, version: -1 };

class WatchedTree extends Tree {
  readonly #book: Book;
  readonly #server: ServerId;

  constructor(book: Book, server: ServerId, config: string, mutant: Mutant | null) {
    super(config, mutant);
    this.#book = book;
    this.#server = server;
  }

  override apply(transaction: Transaction): Uint8Array {
    const result = super.apply(transaction);
    this.#book.delivered(this.#server, this, transaction, result);
    return result;
  }

  override restore(zxid: Zxid): Restoration {
    const restoration = super.restore(zxid);
    return {
      accept: (chunk) => restoration.accept(chunk),
      finish: () => {
        const fault = restoration.finish();
        if (fault === null) this.#book.sequence.restored(this.#server, zxid, this.digest());
        return fault;
      },
    };
  }
}
