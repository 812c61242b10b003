/**
 * What is sent in one turn leaves in one `writev` per socket, without a copy.
 */

import type { Socket } from "node:net";

export class Corks {
  readonly #corked = new Set<Socket>();

  write(socket: Socket, bytes: Uint8Array): void {
    if (!this.#corked.has(socket)) {
      this.#corked.add(socket);
      socket.cork();
    }
    socket.write(bytes);
  }

  /** The end of the turn. */
  flush(): void {
    for (const socket of this.#corked) socket.uncork();
    this.#corked.clear();
  }
}
