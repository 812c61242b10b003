/**
 * A client's way to an ensemble of etcd: one server at a time, the nearest first, and another when that one's
 * connection ends or it says nothing for too long. What is asked goes out at once, or as soon as there is a
 * connection; nothing is asked twice.
 *
 * etcd has no session that would have to be taken along, so this is all that moving on means.
 */

import { Channel, type Method, type Reply } from "./channel.ts";

export interface EtcdPlace {
  readonly host: string;
  readonly port: number;
}

export interface EtcdPolicy {
  /** How long a server may say nothing at all, not even to a ping. */
  readonly patienceMs: number;
  /** Before all servers are tried once more. */
  readonly pauseMs: number;
  /** Whoever lost its server begins with the nearest again, unless it goes round and round. */
  readonly order?: "nearest first" | "next";
}

/** What became of a question; `server` is its place in the list, -1 where it never went out. */
export interface Answered {
  readonly reply: Reply | null;
  readonly server: number;
  /** On the clock of the session. */
  readonly sent: number;
}

interface Waiting {
  readonly method: Method;
  readonly question: Uint8Array;
  readonly done: (asked: Answered) => void;
}

/** How often a silent server is asked whether it is there, in one patience. */
const PINGS = 3;

export class EtcdSession {
  readonly #places: readonly EtcdPlace[];
  readonly #policy: EtcdPolicy;
  readonly #now: () => number;
  readonly #watch: NodeJS.Timeout;
  readonly #ended = Promise.withResolvers<void>();
  #at = 0;
  #tried = 0;
  /** How many it has had. */
  connections = 0;
  #channel: Channel | null = null;
  #isOpen = false;
  #isOver = false;
  #heard = performance.now();
  #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(places: readonly EtcdPlace[], first: number, policy: EtcdPolicy, now: () => number) {
    this.#places = places;
    this.#policy = policy;
    this.#now = now;
    this.#at = first % places.length;
    this.#watch = setInterval(() => this.#look(), policy.patienceMs / PINGS);
    this.#connect();
  }

  /** Resolves when it was told to end, and all that was asked has heard so. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** The server that it uses or tries. */
  get server(): number {
    return this.#at;
  }

  get isIdle(): boolean {
    return this.#waiting.length + this.#underWay === 0;
  }

  ask(method: Method, question: Uint8Array, done: (asked: Answered) => void): void {
    const waiting = { method, question, done };
    if (this.#isOpen) this.#send(waiting);
    else this.#waiting.push(waiting);
  }

  /** On the connection that there is, until it ends, of which `answered` hears null. */
  converse(method: Method, question: Uint8Array, answered: (body: Uint8Array | null) => void): void {
    if (this.#channel === null) answered(null);
    else this.#channel.converse(method, answered)(question);
  }

  /** What has not gone out is not going to; each hears so. Gives how many there were. */
  giveUp(): number {
    const waiting = this.#waiting;
    this.#waiting = [];
    const sent = this.#now();
    for (const { done } of waiting) done({ reply: null, server: -1, sent });
    return waiting.length;
  }

  /** To another server, if there is another; what is under way is lost. */
  leave(): void {
    this.#channel?.end();
  }

  /** Nothing is asked any more; what is under way hears that it was lost. */
  end(): void {
    this.#isOver = true;
    clearInterval(this.#watch);
    this.giveUp();
    if (this.#channel === null) this.#ended.resolve();
    this.#channel?.end();
  }

  #connect(): void {
    const { host, port } = this.#places[this.#at] as EtcdPlace;
    this.#heard = performance.now();
    const channel = new Channel(host, port, {
      opened: () => this.#opened(),
      closed: () => {
        if (this.#channel === channel) this.#left();
      },
    });
    this.#channel = channel;
  }

  #opened(): void {
    this.#isOpen = true;
    this.connections += 1;
    this.#tried = 0;
    this.#heard = performance.now();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) this.#send(one);
  }

  #send({ method, question, done }: Waiting): void {
    const [server, sent, channel] = [this.#at, this.#now(), this.#channel];
    this.#underWay += 1;
    channel?.ask(method, question, (reply) => {
      this.#underWay -= 1;
      if (channel === this.#channel) this.#heard = performance.now();
      done({ reply, server, sent });
    });
  }

  /** Whoever lost its server begins with the nearest; whoever found none goes on to the next. */
  #left(): void {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#channel = null;
    if (this.#isOver) return this.#ended.resolve();
    const again = wasOpen && this.#at !== 0 && this.#policy.order !== "next";
    this.#at = again ? 0 : (this.#at + 1) % this.#places.length;
    this.#tried += 1;
    const pauseMs = this.#tried % this.#places.length === 0 ? this.#policy.pauseMs : 0;
    setTimeout(() => {
      if (!this.#isOver) this.#connect();
    }, pauseMs);
  }

  #look(): void {
    const channel = this.#channel;
    if (channel === null) return;
    if (performance.now() - this.#heard > this.#policy.patienceMs) return channel.end();
    channel.ping(() => {
      if (channel === this.#channel) this.#heard = performance.now();
    });
  }
}
