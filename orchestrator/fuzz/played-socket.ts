/** The listening end of a connection, in memory: as much of a socket as a Connection uses. */

import { EventEmitter } from "node:events";
import type { Socket } from "node:net";

export class PlayedSocket extends EventEmitter {
  readonly remoteAddress = "played";
  readonly remotePort = 0;
  readonly writableLength = 0;
  /** What was written into it. */
  readonly heard: Uint8Array[] = [];
  readonly #arrived: Uint8Array[] = [];
  #isPaused = false;
  #isOpen = true;

  asSocket(): Socket {
    return this as unknown as Socket;
  }

  /** In two pieces, as a network may cut anything. */
  say(bytes: Uint8Array): void {
    const middle = bytes.length >> 1;
    this.#arrived.push(bytes.slice(0, middle), bytes.slice(middle));
    this.#pass();
  }

  write(bytes: Uint8Array): void {
    this.heard.push(bytes);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#pass();
  }

  setNoDelay(): void {}
  cork(): void {}
  uncork(): void {}

  destroy(): void {
    this.#isOpen = false;
  }

  destroySoon(): void {
    this.#isOpen = false;
  }

  resetAndDestroy(): void {
    this.#isOpen = false;
  }

  #pass(): void {
    while (this.#isOpen && !this.#isPaused && this.#arrived.length > 0)
      this.emit("data", this.#arrived.shift());
  }
}
