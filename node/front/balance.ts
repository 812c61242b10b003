/**
 * What stands between a server and its clients, in bytes: questions that it has not answered, and what it has
 * said that has not been written to them, because they do not read.
 *
 * Too many questions are answered by not reading. Too much that is unwritten is answered by not answering:
 * who has not taken what it was told is told no more, so nobody can ask for more than its connection holds.
 * Only what was not asked for, watch events, grows all the same; so there is an end to it, for each and for
 * all, and whoever leaves most unread goes. Who asks one thing at a time and reads waits for none of them.
 *
 * What has been written is told at the end of a turn, so within one turn everything counts as unwritten.
 */

import type { ClientId } from "../core/identity.ts";
import { assert } from "../core/assert.ts";
import type { Mutant } from "../core/mutant.ts";
import { after, type Instant, milliseconds } from "../core/time.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { Written } from "./front-protocol.ts";

export type CutOff = readonly [client: ClientId, reason: string];

interface Unwritten {
  bytes: number;
  /** With what they take beside, which is given back when all of them are written. */
  cost: number;
  /** Since when nothing more of it has been written; null until it was tried. */
  since: Instant | null;
}

export class Balance {
  readonly #mutant: Mutant | null | undefined;
  /** Of all clients. */
  #owed = 0;
  #cost = 0;
  /** Since the end of the last turn in which much was said. */
  #fresh = 0;
  readonly #unwritten = new Map<ClientId, Unwritten>();

  constructor(mutant?: Mutant | null) {
    this.#mutant = mutant;
  }

  /** A question of so many bytes came. */
  owe(connection: ClientConnection, bytes: number): void {
    connection.asked += 1;
    connection.owed += bytes;
    this.#owed += bytes;
  }

  /** It was answered. */
  pay(connection: ClientConnection, bytes: number): void {
    connection.asked -= 1;
    connection.owed -= bytes;
    this.#owed -= bytes;
  }

  /** What is left of its questions will not be answered. */
  release(connection: ClientConnection): void {
    this.#owed -= connection.owed;
    connection.asked = connection.owed = 0;
  }

  /** No more is to be read from it: whoever asked much waits in front of the door, and TCP tells it. */
  asksTooMuch({ asked, owed }: ClientConnection): boolean {
    return asked >= MOST_ASKED || (this.#owed >= MOST_OWED && owed >= MODEST);
  }

  /** Held true in the end by the connection's own answers, so nobody waits for others for ever. */
  asksLittle({ asked, owed }: ClientConnection): boolean {
    return asked <= MOST_ASKED / 2 && (this.#owed <= MOST_OWED / 2 || owed <= MODEST / 2);
  }

  said(client: ClientId, bytes: number): void {
    const cost = bytes + SAID_OVERHEAD;
    this.#cost += cost;
    this.#fresh += cost;
    const unwritten = this.#unwritten.get(client);
    if (unwritten === undefined) this.#unwritten.set(client, { bytes, cost, since: null });
    else {
      unwritten.bytes += bytes;
      unwritten.cost += cost;
    }
  }

  /** So much more of what was said has been written. Who is to be cut off for what it leaves, and why. */
  wrote(written: readonly Written[], now: Instant): readonly CutOff[] {
    this.#fresh = 0;
    const cuts: CutOff[] = [];
    const cutOff = (client: ClientId, reason: string): void => {
      this.forget(client);
      cuts.push([client, reason]);
    };
    for (const { client, bytes } of written) {
      const left = this.#wrote(client, bytes, now);
      if (left > MOST_FOR_ONE) cutOff(client, `it leaves ${left} bytes unread`);
    }
    while (this.#cost >= MOST_UNWRITTEN) {
      const [client, left] = this.#worst();
      cutOff(client, `all clients together leave too much unread, and it most of all: ${left} bytes`);
    }
    return cuts;
  }

  stuckForGood(now: Instant): readonly CutOff[] {
    return [...this.#unwritten]
      .filter(([, { since }]) => since !== null && now > after(since, STUCK_PATIENCE))
      .map(([client]) => [client, "it has read nothing of what it was told for a minute"]);
  }

  /** It is closed, and so is what was said to it. */
  forget(client: ClientId): void {
    this.#cost -= this.#unwritten.get(client)?.cost ?? 0;
    this.#unwritten.delete(client);
  }

  /**
   * May anything be answered before the turn's end? That comes sooner for one with more than this question
   * at hand.
   */
  turnHasRoom(asksMore: boolean): boolean {
    return this.#fresh < (asksMore ? MUCH_IN_A_TURN : MOST_IN_A_TURN) && this.#cost < MOST_UNWRITTEN;
  }

  /** May it be answered? Who has read everything may, however little others read, until the turn's end. */
  hasRoom({ client, frames }: ClientConnection): boolean {
    if (this.#mutant === "unread-is-answered") return true;
    if (!this.turnHasRoom(frames.holdsMore)) return false;
    const cost = this.#unwritten.get(client)?.cost ?? 0;
    return cost < (this.#cost >= MUCH_UNWRITTEN ? MODEST : ENOUGH_UNWRITTEN);
  }

  /** How many bytes are left. */
  #wrote(client: ClientId, bytes: number, now: Instant): number {
    const unwritten = this.#unwritten.get(client);
    if (unwritten === undefined) return 0;
    if (bytes >= unwritten.bytes) {
      this.forget(client);
      return 0;
    }
    unwritten.bytes -= bytes;
    unwritten.cost -= bytes;
    this.#cost -= bytes;
    if (bytes > 0 || unwritten.since === null) unwritten.since = now;
    return unwritten.bytes;
  }

  #worst(): readonly [ClientId, bytes: number] {
    let worst: readonly [ClientId, number] | null = null;
    for (const [client, { bytes }] of this.#unwritten) {
      if (worst === null || bytes > worst[1]) worst = [client, bytes];
    }
    assert(worst !== null, "something unwritten is nobody's");
    return worst;
  }
}

/** Unanswered requests of one connection, after which no more are read from it. */
const MOST_ASKED = 1000;
/**
 * What all clients may have asked and not been answered; beyond it no more is read from those who asked much.
 * 4,000 writes of 1 kB, which a busy server answers in a fifth of a second: so long at most does a new
 * question wait, however many are offered. ZooKeeper's globalOutstandingLimit is 1,000 requests of any size.
 */
const MOST_OWED = 8 << 20;
/**
 * A client that owes or leaves less is served in any case: one at a time never waits for those that flood.
 */
export const MODEST = 16 << 10;
/** What a question costs beside its frame: objects here, in the replica and in the history. */
export const ASKED_OVERHEAD = 1024;
/** What something said costs beside its bytes: objects here and in the socket's queue. */
const SAID_OVERHEAD = 512;
/** Of one client; when it leaves more, it is answered no more until it has read. The largest answer. */
const ENOUGH_UNWRITTEN = 1 << 20;
/** Of all clients; beyond it only those are answered who leave little. */
const MUCH_UNWRITTEN = 16 << 20;
/** Of all clients; beyond it nobody is answered before the turn's end, and then who leaves most goes. */
const MOST_UNWRITTEN = 64 << 20;
/**
 * Said to all clients before the turn must end: the other servers and the collector must have theirs between.
 * What is left to those who ask one thing at a time is not taken by those who ask for hundreds.
 */
const MOST_IN_A_TURN = 4 << 20;
const MUCH_IN_A_TURN = 2 << 20;
/** Of one client: as much as 100,000 watches that fire at once. */
const MOST_FOR_ONE = 16 << 20;
/** Whoever has not read a byte for so long will read no more. */
const STUCK_PATIENCE = milliseconds(60_000);
/** What may wait for its session: a client that comes back sends all its watches before it has the answer. */
export const MOST_HELD = 1 << 21;
