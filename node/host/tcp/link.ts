/**
 * The link to one other server: two connections that live and die together, one for control and one for bulk,
 * so that a heartbeat never waits behind a snapshot.
 *
 * Heartbeats show that the other server is there, and that the control connection is. What is on the way
 * between the two (a firewall, an address translator) may have forgotten the bulk connection alone; so each
 * side writes something on it twice a second, and who reads nothing for three seconds gives both up: the
 * sessions of clients there must not end meanwhile. A slow link that has a snapshot to carry is not silent:
 * what counts is bytes.
 *
 * The server with the larger id dials. With one dialer there are never two connections where one was meant,
 * and nothing has to be agreed on; the price is that a server which comes back waits for the others to find
 * it, at most as long as their patience between two tries, which is why that stays short.
 */

import type { Socket } from "node:net";
import type { ServerId } from "../../core/identity.ts";
import type { Random } from "../../core/random.ts";
import type { Channel } from "../../replica/message.ts";
import { PeerConnection } from "./peer-connection.ts";
import type { Corks } from "./corks.ts";
import { decodeGreeting, encodeGreeting, encodeProof, type Introduction, NOTHING } from "./introduction.ts";
import type { Prover } from "./proof.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface LinkOptions {
  readonly self: ServerId;
  readonly peer: ServerId;
  readonly address: Address;
  readonly cluster: string;
  readonly life: number;
  readonly corks: Corks;
  readonly prover: Prover;
  readonly connect: (address: Address) => Socket;
  readonly random: Random;
  /** More bytes than this waiting for one server, and its connection is given up. */
  readonly queueLimit: number;
  readonly events: LinkEvents;
}

/** `up` and `down` alternate, and frames come only between them. */
export interface LinkEvents {
  up(): void;
  frame(frame: Uint8Array): void;
  down(reason: string): void;
  /** No connection yet; told at the first try that failed, and when the reason changes. */
  failing(reason: string): void;
}

/** Both connections of one try; which of them have been greeted. */
interface Pair {
  readonly life: number;
  readonly attempt: number;
  readonly connections: Map<Channel, PeerConnection>;
  readonly greeted: Set<Channel>;
}

const CHANNELS: readonly Channel[] = ["control", "bulk"];
const SIGN_MS = 500;
/** So many signs of life may be missed, one after the other. */
const MOST_SILENCE = 5;
/** Long enough for two round trips of any distance on Earth, one SYN lost. */
export const PATIENCE_MS = 3000;
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

export class Link {
  readonly #options: LinkOptions;
  #pair: Pair | null = null;
  #isUp = false;
  #attempt = 0;
  #pause = SHORTEST_PAUSE_MS;
  #redial: NodeJS.Timeout | null = null;
  #watch: NodeJS.Timeout | null = null;
  #trouble: string | null = null;
  #stopped = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Begins to dial, if that is this side's part. */
  begin(): void {
    if (this.#options.self > this.#options.peer) this.#dial();
  }

  /** The other side dialed, and is who it says; the second connection of a pair completes it. */
  accept(connection: PeerConnection, greeting: Introduction): void {
    const { life, attempt, channel } = greeting;
    const isPartner =
      this.#pair?.life === life && this.#pair.attempt === attempt && !this.#pair.greeted.has(channel);
    if (this.#pair !== null && !isPartner) this.#lose(this.#pair, "the other side connected anew");
    this.#pair ??= { life, attempt, connections: new Map(), greeted: new Set() };
    const pair = this.#pair;
    pair.connections.set(channel, connection);
    connection.handOver({ greeted: () => {}, ended: (reason) => this.#lose(pair, reason) });
    this.#greeted(pair, channel);
  }

  /** Dropped in silence while the link is down. */
  send(channel: Channel, bytes: Uint8Array): void {
    const pair = this.#pair;
    const connection = this.#isUp ? pair?.connections.get(channel) : undefined;
    if (pair === null || connection === undefined) return;
    connection.write(bytes);
    if (connection.waiting <= this.#options.queueLimit) return;
    this.#lose(pair, `it takes nothing: ${connection.waiting >> 20} MiB are waiting for it`);
  }

  /** The link breaks on both sides, and is made anew. */
  drop(reason: string): void {
    if (this.#pair !== null) this.#lose(this.#pair, reason);
  }

  /** For good, without a word to `events`; what was sent still goes out unless `abruptly`. */
  stop(abruptly: boolean): void {
    this.#stopped = true;
    if (this.#redial !== null) clearTimeout(this.#redial);
    this.#stopWatching();
    for (const connection of this.#pair?.connections.values() ?? []) {
      if (abruptly) connection.end();
      else connection.leave();
    }
    this.#pair = null;
  }

  #dial(): void {
    const { self, peer, address, cluster, life, corks, prover, connect } = this.#options;
    const pair: Pair = { life, attempt: ++this.#attempt, connections: new Map(), greeted: new Set() };
    this.#pair = pair;
    for (const channel of CHANNELS) {
      const challenge = prover.challenge();
      const names = { from: self, to: peer, channel, life, attempt: pair.attempt, cluster };
      const greeting: Introduction = { ...names, challenge, proof: NOTHING };
      const connection = new PeerConnection(connect(address), corks, PATIENCE_MS, {
        greeted: (body) => {
          const reply = decodeGreeting(body);
          const mistake = reply.ok ? mistakeOf(reply.value, greeting, prover) : reply.reason;
          if (!reply.ok || mistake !== null) return this.#lose(pair, mistake ?? "");
          const proof = prover.prove("dialer", greeting, reply.value.challenge);
          if (prover.asks) connection.greet(encodeProof(proof));
          this.#greeted(pair, channel);
        },
        ended: (reason) => this.#lose(pair, reason),
      });
      pair.connections.set(channel, connection);
      connection.greet(encodeGreeting(greeting));
    }
  }

  #greeted(pair: Pair, channel: Channel): void {
    pair.greeted.add(channel);
    if (pair !== this.#pair || pair.greeted.size < CHANNELS.length) return;
    this.#isUp = true;
    this.#pause = SHORTEST_PAUSE_MS;
    this.#trouble = null;
    this.#options.events.up();
    for (const connection of pair.connections.values()) {
      connection.open((frame) => {
        if (pair === this.#pair) this.#options.events.frame(frame);
      });
    }
    if (pair === this.#pair) this.#watchBulk(pair);
  }

  /** By ticks, not by the clock: a process that was stopped reads what has come before it counts on. */
  #watchBulk(pair: Pair): void {
    const bulk = pair.connections.get("bulk");
    let silence = 0;
    this.#watch = setInterval(() => {
      silence = bulk?.takeHeard() === true ? 0 : silence + 1;
      const silentFor = (silence * SIGN_MS) / 1000;
      if (silence > MOST_SILENCE) this.#lose(pair, `nothing came on the bulk connection for ${silentFor} s`);
      else bulk?.live();
    }, SIGN_MS);
  }

  #stopWatching(): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
  }

  #lose(pair: Pair, reason: string): void {
    if (pair !== this.#pair) return;
    this.#pair = null;
    this.#stopWatching();
    for (const connection of pair.connections.values()) connection.end();
    const { self, peer, random, events } = this.#options;
    if (this.#isUp) events.down(reason);
    else if (reason !== this.#trouble) events.failing(reason);
    if (!this.#isUp) this.#trouble = reason;
    this.#isUp = false;
    if (self < peer || this.#stopped) return;
    this.#redial = setTimeout(() => this.#dial(), this.#pause * (0.5 + random.unit() / 2));
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
  }
}

function mistakeOf(reply: Introduction, greeting: Introduction, prover: Prover): string | null {
  if (reply.from !== greeting.to) return `server ${reply.from} answers where server ${greeting.to} should be`;
  if (reply.to !== greeting.from || reply.attempt !== greeting.attempt) return "an answer to somebody else";
  const objection = prover.objectionTo(reply.challenge);
  if (objection !== null) return objection;
  const proves = prover.holds(reply.proof, "listener", greeting, reply.challenge);
  return proves ? null : "whoever answers does not know the secret";
}
