/**
 * The one history, as it emerges from what all servers deliver.
 *
 * Whoever delivers a position first fixes it; everyone after must deliver the same there, with the same
 * result and the same state behind it. If a committed transaction were lost, some server would sooner or
 * later deliver another one in its place, and this is where that shows.
 */

import type { ServerId } from "../../../core/identity.ts";
import type { Ticket, Transaction } from "../../../core/transaction.ts";
import { counterOf, epochOf, printZxid, type Zxid, ZERO } from "../../../core/zxid.ts";

/** A property was violated: the sentence says which, with the numbers. */
export class Violation extends Error {
  override readonly name = "Violation";
}

interface Delivered {
  readonly zxid: Zxid;
  readonly ticket: Ticket;
  readonly result: Uint8Array;
  readonly digest: string;
  readonly by: ServerId;
}

export class Sequence {
  readonly #delivered: Delivered[] = [];
  readonly #positions = new Map<Zxid, number>();
  readonly #tickets = new Map<string, Zxid>();
  /** The last sequence number delivered of each life of each server. */
  readonly #lastOfLife = new Map<string, number>();
  /** The time of day of the last transaction. */
  #time = 0;
  /** How much of the history each server's state contains. */
  readonly #reached = new Map<ServerId, number>();

  get length(): number {
    return this.#delivered.length;
  }

  get last(): Zxid {
    return this.#delivered.at(-1)?.zxid ?? ZERO;
  }

  /** The server's state was replaced by the one after `zxid`, or is empty (zxid 0). */
  restored(server: ServerId, zxid: Zxid, digest: string): void {
    if (zxid === ZERO) {
      this.#reached.set(server, 0);
      return;
    }
    const position = this.#positions.get(zxid);
    if (position === undefined)
      throw new Violation(`p${server} restored ${printZxid(zxid)}, which nobody delivered`);
    this.#reached.set(server, position + 1);
    this.#sameDigest(server, this.#delivered[position], digest);
  }

  delivered(server: ServerId, transaction: Transaction, result: Uint8Array, digest: string): void {
    const position = this.#reached.get(server) ?? 0;
    this.#reached.set(server, position + 1);
    const known = this.#delivered[position];
    if (known === undefined) {
      this.#extend(server, transaction, result, digest);
      return;
    }
    const { zxid, ticket } = transaction;
    if (known.zxid !== zxid || printTicket(known.ticket) !== printTicket(ticket)) {
      throw new Violation(
        `p${server} delivered ${printZxid(zxid)} (${printTicket(ticket)}) as number ${position + 1}, ` +
          `where p${known.by} had delivered ${printZxid(known.zxid)} (${printTicket(known.ticket)})`,
      );
    }
    if (!equalBytes(known.result, result)) {
      throw new Violation(`p${server} got another result for ${printZxid(zxid)} than p${known.by}`);
    }
    this.#sameDigest(server, known, digest);
  }

  /** The zxid under which a write was delivered, or undefined. */
  zxidOf(ticket: Ticket): Zxid | undefined {
    return this.#tickets.get(printTicket(ticket));
  }

  #extend(server: ServerId, transaction: Transaction, result: Uint8Array, digest: string): void {
    const { zxid, time, ticket } = transaction;
    this.#follows(server, zxid);
    if (time < this.#time) {
      throw new Violation(`p${server} delivered ${printZxid(zxid)} at ${time}, after one of ${this.#time}`);
    }
    this.#time = time;
    const name = printTicket(ticket);
    const before = this.#tickets.get(name);
    if (before !== undefined) {
      throw new Violation(
        `write ${name} was executed twice: as ${printZxid(before)} and as ${printZxid(zxid)}`,
      );
    }
    const life = `p${ticket.origin}/${ticket.life}`;
    const lastOfLife = this.#lastOfLife.get(life) ?? -1;
    if (ticket.sequence <= lastOfLife) {
      throw new Violation(`write ${name} was executed after write ${lastOfLife} of the same server`);
    }
    this.#lastOfLife.set(life, ticket.sequence);
    this.#tickets.set(name, zxid);
    this.#positions.set(zxid, this.#delivered.length);
    this.#delivered.push({ zxid, ticket, result, digest, by: server });
  }

  /** Primary order: epochs ascend, and within one epoch the counter leaves nothing out. */
  #follows(server: ServerId, zxid: Zxid): void {
    const { last } = this;
    const next = epochOf(zxid) === epochOf(last) ? counterOf(last) + 1 : 1;
    if (zxid > last && counterOf(zxid) === next) return;
    throw new Violation(`p${server} delivered ${printZxid(zxid)} after ${printZxid(last)}`);
  }

  #sameDigest(server: ServerId, known: Delivered | undefined, digest: string): void {
    if (known === undefined || known.digest === digest) return;
    const states = `${digest} against ${known.digest}`;
    throw new Violation(`p${server} and p${known.by} differ after ${printZxid(known.zxid)}: ${states}`);
  }
}

export const printTicket = ({ origin, life, sequence }: Ticket): string => `p${origin}/${life}/${sequence}`;

const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
