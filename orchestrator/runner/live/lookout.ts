/** Looks at a live trial some times a second, by what servers and clients have written down meanwhile. */

import { monotonic } from "#node/host/monotonic.ts";
import { fresh, type Observer } from "../observer.ts";
import type { LiveClients } from "./clients.ts";
import type { LiveFaults } from "./faults.ts";
import type { LiveServers } from "./servers.ts";

/** Clients write down what has ended twice a second. */
const LOOK_MS = 250;

export class Lookout implements Disposable {
  readonly look: () => void;
  readonly #looking: NodeJS.Timeout;

  constructor(
    observer: Observer,
    on: { servers: LiveServers; clients: LiveClients; faults: LiveFaults },
    origin: number,
  ) {
    const [events, operations] = [on.servers.follow(origin), on.clients.follow()];
    const marks = fresh(() => on.faults.marks);
    this.look = () =>
      observer.saw({
        events: events(),
        marks: marks(),
        operations: operations(),
        until: monotonic() - origin,
      });
    this.#looking = setInterval(this.look, LOOK_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#looking);
  }
}
