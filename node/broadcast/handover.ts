/**
 * A leader that gives its place to another server while it serves: new writes wait until that one has on its
 * disk all that has a place, and then it is named to all.
 *
 * What waits has no place in any history, so who took it from its client asks the next leader. Where the
 * other does not come level, or goes, it goes on in its order, and nothing has changed.
 */

import type { ServerId } from "../core/identity.ts";
import { seconds } from "../core/time.ts";
import type { Learner } from "./learner.ts";
import type { Forward } from "./message.ts";
import type { Primary } from "./primary.ts";
import type { ServerState } from "./server-state.ts";

type Write = Pick<Forward, "ticket" | "payload">;

/** Longer than a server that is level takes to store what is under way, shorter than a client's patience. */
const WRITES_WAIT = seconds(2);

export class Handover {
  readonly #server: ServerState;
  readonly #learners: ReadonlyMap<ServerId, Learner>;
  readonly #primary: Primary;
  #to: ServerId | null = null;
  /** They came meanwhile. */
  #writes: Write[] = [];

  constructor(server: ServerState, learners: ReadonlyMap<ServerId, Learner>, primary: Primary) {
    this.#server = server;
    this.#learners = learners;
    this.#primary = primary;
  }

  /** Who is about to lead is told so once, whoever wants it again. */
  begin(to: ServerId): void {
    if (to === this.#to) return;
    const reason = this.#objectionTo(to);
    if (reason !== null) {
      this.#server.tell({ kind: "kept", to, reason });
      return;
    }
    this.#to = to;
    this.#server.arm("transfer", WRITES_WAIT);
    this.#server.tell({ kind: "handing", to });
  }

  write(write: Write): void {
    if (this.#to === null) this.#primary.write(write.ticket, write.payload);
    else this.#writes.push(write);
  }

  /** Who is to lead, once it has everything that is committed, and nothing else has a place. */
  get heir(): ServerId | null {
    const { history, committed } = this.#server;
    if (this.#to === null || committed < history.last) return null;
    const learner = this.#learners.get(this.#to);
    return learner !== undefined && learner.acknowledged >= history.last ? this.#to : null;
  }

  /** It leads on: `reason` is why the other does not. */
  keep(reason: string): void {
    const [to, writes] = [this.#to, this.#writes];
    if (to === null) return;
    this.#to = null;
    this.#writes = [];
    this.#server.disarm("transfer");
    if (this.#server.mutant !== "kept-writes-dropped")
      for (const { ticket, payload } of writes) this.#primary.write(ticket, payload);
    this.#server.tell({ kind: "kept", to, reason });
  }

  gone(server: ServerId): void {
    if (server === this.#to) this.keep("it has gone");
  }

  #objectionTo(to: ServerId): string | null {
    if (to === this.#server.id) return "it leads already";
    if (this.#to !== null) return `server ${this.#to} is about to lead`;
    return this.#learners.get(to)?.counts === true ? null : "it does not follow, or is not level";
  }
}
