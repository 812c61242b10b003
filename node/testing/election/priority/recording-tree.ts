/** A tree that tells what the znodes of an election go through, once for all servers that hold it. */

import type { Transaction } from "../../../core/transaction.ts";
import type { Layout } from "../../../election/priority/layout.ts";
import { nameOf } from "../../../election/medium/way.ts";
import { readPayload } from "../../../tree/payload.ts";
import { Tree } from "../../../tree/tree.ts";
import { type ClientRequest, readRequest } from "../../../wire/client/request.ts";

export interface Znode {
  readonly data: Uint8Array | null;
  readonly version: number;
  /** The session that owns it; 0: none. */
  readonly owner: number;
  readonly czxid: number;
}

/** As the tree has it after one transaction; null where there is no znode. */
export interface Look {
  readonly elected: Znode | null;
  readonly current: Znode | null;
  readonly policy: Znode | null;
  readonly standing: ReadonlySet<string>;
}

export interface Written {
  readonly request: ClientRequest;
  /** Who asked; 0 where a server speaks for itself. */
  readonly session: number;
  readonly before: Look;
  readonly after: Look;
}

/** What the trees of one ensemble share: how far they have told. */
export interface Told {
  zxid: number;
}

export class RecordingTree extends Tree {
  readonly #layout: Layout;
  readonly #told: Told;
  readonly #record: (written: Written) => void;

  constructor(layout: Layout, told: Told, record: (written: Written) => void) {
    super();
    this.#layout = layout;
    this.#told = told;
    this.#record = record;
  }

  override apply(transaction: Transaction): Uint8Array {
    if (transaction.zxid <= this.#told.zxid) return super.apply(transaction);
    this.#told.zxid = transaction.zxid;
    const before = this.#look();
    const result = super.apply(transaction);
    const payload = readPayload(transaction.payload);
    const request = payload === null ? null : readRequest(payload.operation, payload.request);
    if (payload !== null && request !== null) {
      this.#record({ request, session: payload.caller.session, before, after: this.#look() });
    }
    return result;
  }

  #look(): Look {
    const { nodes } = this.state;
    const { elected, current, policy, election } = this.#layout;
    const row = nodes.find(election);
    const children = row < 0 ? [] : [...nodes.children(row)];
    const standing = new Set(children.map((child) => nameOf(nodes.path(child))));
    const [one, two, three] = [elected, current, policy].map((path) => this.#znode(path));
    return { elected: one ?? null, current: two ?? null, policy: three ?? null, standing };
  }

  #znode(path: string): Znode | null {
    const { nodes } = this.state;
    const row = nodes.find(path);
    if (row < 0) return null;
    const { version, ephemeralOwner: owner, czxid } = nodes.stat(row);
    return { data: nodes.data(row)?.slice() ?? null, version, owner, czxid };
  }
}
