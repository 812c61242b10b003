/**
 * A client's hold on a session: one connection that shows it, asks, and does nothing by itself. Several
 * handles may hold the same session at once.
 */

import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";
import { XID } from "#node/wire/client/header.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { type ClientRequest, writeRequest } from "#node/wire/client/request.ts";
import { Connection, type Credentials, framed, NO_SESSION } from "../workload/load/connection.ts";

/** The error of a reply (0 is none), or that the server ended the connection instead. */
type Heard = number | "closed";

export class Handle {
  readonly #connection: Connection;
  readonly #greeting = Promise.withResolvers<Credentials | "refused" | "closed">();
  readonly #end = Promise.withResolvers<void>();
  readonly #asked: ((heard: Heard) => void)[] = [];
  #xid = 1;
  isClosed = false;

  constructor(port: number, timeoutMs: number, session: Credentials = NO_SESSION) {
    this.#connection = new Connection(port, session, 0, timeoutMs, {
      opened: (given) => this.#greeting.resolve(given ?? "refused"),
      frame: (payload) => {
        const reader = new JuteReader(payload);
        const xid = reader.int();
        reader.long();
        if (xid !== XID.event) this.#asked.shift()?.(reader.int());
      },
      turn() {},
      closed: () => {
        this.isClosed = true;
        this.#greeting.resolve("closed");
        for (const answer of this.#asked.splice(0)) answer("closed");
        this.#end.resolve();
      },
    });
  }

  /** What the server answers to the handshake. */
  get session(): Promise<Credentials | "refused" | "closed"> {
    return this.#greeting.promise;
  }

  get closed(): Promise<void> {
    return this.#end.promise;
  }

  ask(request: ClientRequest): Promise<Heard> {
    if (this.isClosed) return Promise.resolve("closed");
    const xid = request.kind === "ping" ? XID.ping : this.#xid++;
    const header = new JuteWriter().int(xid).int(OPERATIONS[request.kind]);
    this.#connection.write(framed(writeRequest(header, request).finish()));
    return new Promise((resolve) => this.#asked.push(resolve));
  }

  /** Without ending the session. */
  drop(): void {
    this.#connection.end();
  }
}
