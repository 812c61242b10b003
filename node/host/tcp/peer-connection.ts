/**
 * One TCP connection between two servers: first one or two short greetings, then frames.
 *
 * After a greeting nothing is read until whoever heard it says what comes next: another greeting (`expect`),
 * or frames (`open`), for a channel must not speak before the other channel of its pair is there. Whatever
 * goes wrong ends the connection, with a reason, once.
 */

import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { FrameReader, SIGN_OF_LIFE } from "../../wire/frame-reader.ts";
import type { Corks } from "./corks.ts";
import { LONGEST_GREETING } from "./introduction.ts";

export interface ConnectionEvents {
  /** What follows the length of a greeting. */
  greeted(body: Uint8Array): void;
  /** Never called for a connection that `end` was called for. */
  ended(reason: string): void;
}

export class PeerConnection {
  readonly #socket: Socket;
  readonly #corks: Corks;
  readonly #frames = new FrameReader();
  readonly #patience: NodeJS.Timeout;
  #events: ConnectionEvents;
  /** What came before the frames and is not read yet. */
  #head: Uint8Array = new Uint8Array(0);
  #expects = true;
  #heard = false;
  #take: ((frame: Uint8Array) => void) | null = null;
  #ended = false;

  constructor(socket: Socket, corks: Corks, patience: number, events: ConnectionEvents) {
    this.#socket = socket;
    this.#corks = corks;
    this.#events = events;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => this.#read(bytes));
    socket.on("error", (error) => this.#fail(error.message));
    socket.on("end", () => this.#fail("the other side closed the connection"));
    socket.on("close", () => this.#fail("the connection broke"));
    this.#patience = setTimeout(() => this.#fail(`no connection within ${patience} ms`), patience);
  }

  /** Whoever takes over an accepted connection hears from it from now on. */
  handOver(events: ConnectionEvents): void {
    this.#events = events;
  }

  /** Another greeting comes before the frames. */
  expect(): void {
    this.#expects = true;
    this.#socket.resume();
    this.#readGreeting();
  }

  /** From now on frames are read, those that came already first. */
  open(take: (frame: Uint8Array) => void): void {
    clearTimeout(this.#patience);
    this.#take = take;
    this.#frames.feed(this.#head);
    this.#head = new Uint8Array(0);
    this.#socket.resume();
    this.#drain();
  }

  /** Shows the other side that this one is there, unless what waits to be sent does. */
  live(): void {
    if (this.waiting === 0) this.#socket.write(SIGN_OF_LIFE);
  }

  /** Has anything come since this was asked last? */
  takeHeard(): boolean {
    const heard = this.#heard;
    this.#heard = false;
    return heard;
  }

  /** Goes out at once, or as soon as there is a connection. */
  greet(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Goes out at the end of the turn. */
  write(bytes: Uint8Array): void {
    this.#corks.write(this.#socket, bytes);
  }

  /** Bytes that the kernel has not taken yet. */
  get waiting(): number {
    return this.#socket.writableLength;
  }

  /** Drops everything at once: what is under way may be lost, and the other side learns of it. */
  end(): void {
    this.#finish();
    // Encrypted connections cannot be reset, only closed.
    if (this.#socket instanceof TLSSocket) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  /** Lets what was written go out first. */
  leave(): void {
    this.#finish();
    this.#socket.destroySoon();
  }

  #read(bytes: Uint8Array): void {
    this.#heard = true;
    if (this.#take === null) {
      this.#head = Buffer.concat([this.#head, bytes]);
      this.#readGreeting();
    } else {
      this.#frames.feed(bytes);
      this.#drain();
    }
  }

  #readGreeting(): void {
    const head = this.#head;
    if (!this.#expects || this.#ended || head.length < 4) return;
    const end = 4 + new DataView(head.buffer, head.byteOffset).getUint32(0);
    if (end > LONGEST_GREETING) return this.#fail("not a server of this kind");
    if (head.length < end) return;
    this.#expects = false;
    this.#head = head.subarray(end);
    this.#socket.pause();
    this.#events.greeted(head.subarray(4, end));
  }

  #drain(): void {
    while (this.#take !== null && !this.#ended) {
      const frame = this.#frames.next();
      if (frame === null) break;
      this.#take(frame);
    }
    if (this.#frames.refused !== null) this.#fail(this.#frames.refused);
  }

  #fail(reason: string): void {
    if (this.#ended) return;
    this.#finish();
    this.#socket.destroy();
    this.#events.ended(reason);
  }

  #finish(): void {
    this.#ended = true;
    clearTimeout(this.#patience);
  }
}
