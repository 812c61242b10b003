/**
 * What clients may believe: the promises to each of them, and between them.
 *
 * Every transaction has a place in one history, so linearizability needs no search: a write must come after
 * everything that was acknowledged to anyone before it was asked for, and so must whatever is read after a
 * sync. Within a session, states only get newer, and a read shows exactly what the history says at its zxid.
 */

import { joined } from "../../../core/pieces.ts";
import type { ClientId, ServerId } from "../../../core/identity.ts";
import type { Transaction } from "../../../core/transaction.ts";
import { printZxid, type Zxid, ZERO } from "../../../core/zxid.ts";
import { decodeOperation, decodeReply } from "../../../testing/replica/key-value-operation.ts";
import type { ReplicaOutput } from "../../../replica/replica-protocol.ts";
import { Violation } from "./sequence.ts";

export type Question =
  | { readonly kind: "write"; readonly payload: Uint8Array }
  | { readonly kind: "read"; readonly key: string }
  | { readonly kind: "sync" };

interface Submitted {
  readonly question: Question;
  readonly server: ServerId;
  /** The newest zxid acknowledged to anyone when this was asked. */
  readonly floor: Zxid;
}

interface Version {
  readonly zxid: Zxid;
  readonly version: number;
}

export class Beliefs {
  readonly #asked = new Map<string, Submitted>();
  readonly #unanswered = new Map<ClientId, number>();
  /** Which server a connection goes to, as long as it stands. */
  readonly #attached = new Map<ClientId, ServerId>();
  readonly #seen = new Map<ClientId, Zxid>();
  readonly #versions = new Map<string, Version[]>();
  readonly #writes = new Map<Zxid, Uint8Array>();
  #acknowledged: Zxid = ZERO;
  #answers = 0;
  #unknown = 0;

  get acknowledged(): Zxid {
    return this.#acknowledged;
  }

  get answers(): number {
    return this.#answers;
  }

  get unknown(): number {
    return this.#unknown;
  }

  /** Questions on connections that stand, without an answer yet. */
  get unanswered(): number {
    return this.#asked.size;
  }

  unansweredOf(client: ClientId | null): number {
    return client === null ? 0 : (this.#unanswered.get(client) ?? 0);
  }

  seen(client: ClientId): Zxid {
    return this.#seen.get(client) ?? ZERO;
  }

  /** A client left one connection for another, and takes along what it has seen. */
  moved(from: ClientId | null, to: ClientId, server: ServerId): Zxid {
    if (from !== null) this.#end(from);
    const seen = from === null ? ZERO : this.seen(from);
    this.#seen.set(to, seen);
    this.#attached.set(to, server);
    return seen;
  }

  /** The server sent the client away, or has crashed. */
  isGone(client: ClientId): boolean {
    return !this.#attached.has(client);
  }

  crashed(server: ServerId): void {
    for (const [client, attached] of this.#attached) if (attached === server) this.#end(client);
  }

  #end(client: ClientId): void {
    this.#attached.delete(client);
    for (const name of this.#asked.keys()) {
      if (!name.startsWith(`${client}/`)) continue;
      this.#asked.delete(name);
      this.#unknown += 1;
    }
  }

  asked(client: ClientId, id: number, server: ServerId, question: Question): void {
    this.#asked.set(`${client}/${id}`, { question, server, floor: this.#acknowledged });
    this.#unanswered.set(client, this.unansweredOf(client) + 1);
  }

  /** A transaction was delivered for the first time anywhere, with this result. */
  executed(transaction: Transaction, result: Uint8Array): void {
    this.#writes.set(transaction.zxid, transaction.payload);
    const operation = decodeOperation(transaction.payload);
    if (operation === null || decodeReply(result).status !== "ok") return;
    const versions = this.#versions.get(operation.key) ?? [];
    this.#versions.set(operation.key, versions);
    const version = operation.kind === "remove" ? 0 : decodeReply(result).version;
    versions.push({ zxid: transaction.zxid, version });
  }

  answered(server: ServerId, output: ReplicaOutput): void {
    if (output.kind === "event") return;
    const { client } = output;
    if (output.kind === "behind") {
      this.#attached.delete(client);
      return;
    }
    const { tag: id } = output;
    const asked = this.#asked.get(`${client}/${id}`);
    if (asked === undefined)
      throw new Violation(`p${server} answered client ${client} question ${id} twice, or unasked`);
    this.#asked.delete(`${client}/${id}`);
    this.#unanswered.set(client, this.unansweredOf(client) - 1);
    if (output.kind !== "reply") {
      if (output.kind === "unknown") this.#unknown += 1;
      return;
    }
    this.#answers += 1;
    const who = `client ${client} of p${server}, question ${id}:`;
    const { zxid } = output;
    if (zxid < this.seen(client)) {
      throw new Violation(
        `${who} answered from ${printZxid(zxid)} after it had seen ${printZxid(this.seen(client))}`,
      );
    }
    this.#seen.set(client, zxid);
    if (asked.question.kind === "read") this.#checkRead(who, asked.question.key, zxid, joined(output.result));
    else this.#checkOrder(who, asked, zxid);
  }

  #checkOrder(who: string, { question, floor }: Submitted, zxid: Zxid): void {
    if (zxid < floor || (zxid === floor && question.kind === "write")) {
      const before = `${printZxid(floor)} was acknowledged before it began`;
      throw new Violation(`${who} ${question.kind} at ${printZxid(zxid)}, but ${before}`);
    }
    if (question.kind !== "write") return;
    const written = this.#writes.get(zxid);
    if (written === undefined || !same(written, question.payload)) {
      throw new Violation(`${who} acknowledged as ${printZxid(zxid)}, where the history has another write`);
    }
    if (zxid > this.#acknowledged) this.#acknowledged = zxid;
  }

  #checkRead(who: string, key: string, zxid: Zxid, result: Uint8Array): void {
    const expected = this.#versions.get(key)?.findLast((version) => version.zxid <= zxid)?.version ?? 0;
    const { version } = decodeReply(result);
    if (version === expected) return;
    throw new Violation(
      `${who} read version ${version} of ${key} at ${printZxid(zxid)}, where it is ${expected}`,
    );
  }
}

const same = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
